// Starts the page of a report.

const questions = data.node_verdicts ? nodesSection() : questionsSection();
assemble([findingsSection(), questions, netSection(), shapesSection(), reductionsSection()]);
