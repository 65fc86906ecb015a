// Starts the page of a net.

byId("all").href = linkTo("/");
document.title = `${data.model} – Parikh`;
// An empty list of answers about nodes has no place for them.
data.bounds = new Array(placeCount);
data.fates = new Array(transitionCount);
const parts = [askSection(), answersSection(), netSection(), shapesSection(), reductionsSection()];
assemble(parts);
events.run();
