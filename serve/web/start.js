// The first page: uploads, and the nets of the server.

const say = (text) => { byId("state").textContent = text; };

const complain = (text) => {
  byId("problem").textContent = text ?? "";
  byId("problem").hidden = !text;
};

const kilobytes = (bytes) => (bytes < 100000 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 2 ** 20).toFixed(1)} MB`);

const showNets = async () => {
  const { nets } = await getJson("/api/nets");
  const item = (net) => {
    const running = net.unfinished ? ` · ${plural(net.unfinished, "job")} running or waiting` : "";
    const remove = button("Remove", async () => {
      if (!confirm(`Remove ${net.name} with its answers?`)) return;
      try {
        await send(`/api/nets/${net.id}`, { method: "DELETE" });
        await showNets();
      } catch (error) {
        complain(error.message);
      }
    }, { "aria-label": `Remove ${net.name}` });
    return make("li", {}, make("div", { class: "grow" },
      make("a", { href: linkTo(`/nets/${net.id}`) }, net.name),
      make("p", { class: "muted" }, `${new Date(net.created * 1000).toLocaleString()} · ${kilobytes(net.bytes)} · `
        + `${plural(net.jobs, "job")}${running}`)), remove);
  };
  byId("list").replaceChildren(...nets.map(item));
  if (!nets.length) byId("list").append(make("li", { class: "muted" }, "There are none yet."));
};

/** Uploads a net, and goes to its page. */
const upload = async (content, name) => {
  complain(null);
  say(`Reading ${name} …`);
  try {
    const response = await send(`/api/nets?name=${encodeURIComponent(name)}`, {
      method: "POST", headers: { "content-type": "application/octet-stream" }, body: content,
    });
    const net = await response.json();
    location.href = linkTo(`/nets/${net.id}`);
  } catch (error) {
    say("");
    complain(`${name} cannot be read.\n${error.message}`);
  }
};

/** Guesses a name for a pasted text, whose extension some formats need. */
const pastedName = (text) => {
  const begin = text.trimStart();
  if (begin.startsWith("<")) return "pasted.pnml";
  if (/^(strict\s+)?(di)?graph\b/.test(begin)) return "pasted.dot";
  if (/^des\s*\(/.test(begin)) return "pasted.aut";
  return "pasted.net";
};

const setUp = async () => {
  setUpTheme();
  const drop = byId("drop");
  addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  addEventListener("dragleave", () => drop.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    const [file] = event.dataTransfer.files;
    if (file) upload(file, file.name);
  });
  addEventListener("paste", (event) => {
    const [file] = event.clipboardData?.files ?? [];
    if (file) upload(file, file.name);
  });
  byId("file").addEventListener("change", () => {
    const [file] = byId("file").files;
    if (file) upload(file, file.name);
    byId("file").value = "";
  });
  byId("paste").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = byId("text").value;
    if (text.trim()) upload(text, pastedName(text));
    else complain("There is no text: paste a net first.");
  });
  byId("unlock").addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem(TOKEN, byId("token").value.trim());
    location.reload();
  });
  try {
    const about = await getJson("/api/about");
    byId("made").textContent = `Parikh ${about.version} · uploads up to ${kilobytes(about.upload)} · `
      + `${plural(about.parallel_jobs, "job")} at a time, each up to ${about.seconds} s and `
      + `${(about.memory / 2 ** 30).toFixed(1)} GB`;
    await showNets();
  } catch (error) {
    const isLocked = error.status === 401;
    byId("locked").hidden = !isLocked;
    for (const id of ["upload", "nets"]) byId(id).hidden = isLocked;
    if (isLocked) byId("token").focus();
    else complain(error.message);
  }
};

setUp();
