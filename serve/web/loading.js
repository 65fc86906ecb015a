// Loads the data of a net, then the scripts that draw it. The address of the page has the id of the net.

const load = async () => {
  const id = location.pathname.split("/")[2];
  document.getElementById("all").href = linkTo("/");
  try {
    const { net, page } = await getJson(`/api/nets/${id}`);
    page.model = net.name;
    page.served = net;
    page.about = await getJson("/api/about");
    const holder = document.createElement("script");
    holder.type = "application/json";
    holder.id = "data";
    // Text of a script element that is no script is never run.
    holder.textContent = JSON.stringify(page);
    const scripts = document.createElement("script");
    scripts.src = "/assets/net.js";
    document.body.append(holder, scripts);
  } catch (error) {
    document.getElementById("model").textContent = "This net cannot be shown";
    document.getElementById("connection").textContent = error.message;
    document.querySelector("main").hidden = true;
  }
};

load();
