// The token, and requests to the server.
//
// The printed address has the token in its fragment, which browsers do not send. It is kept for this tab, and
// sent with each request in a header. There is no cookie: browsers send cookies to all ports of a host.

const TOKEN = "parikh-token";

const takeToken = () => {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return;
  sessionStorage.setItem(TOKEN, given);
  history.replaceState(null, "", location.pathname);
};

const token = () => sessionStorage.getItem(TOKEN) ?? "";

/** Returns a link to a page of this server that works in a new tab, too. */
const linkTo = (path) => `${path}#token=${encodeURIComponent(token())}`;

/** Sends a request. Returns the response, or throws an error with the server's reason. */
const send = async (path, options = {}) => {
  let response;
  try {
    response = await fetch(path, {
      ...options, headers: { ...options.headers, authorization: `Bearer ${token()}` },
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is `parikh serve` running?");
  }
  if (response.ok) return response;
  let reason = `${response.status} ${response.statusText}`;
  try {
    reason = (await response.json()).error ?? reason;
  } catch {
    // The answer is not from Parikh, so its status has to do.
  }
  const error = new Error(reason);
  error.status = response.status;
  throw error;
};

const getJson = async (path) => (await send(path)).json();

const postJson = async (path, body) => (await send(path, {
  method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
})).json();

/** Downloads a file. A link cannot send the token, so the script fetches the file. */
const download = async (path, name) => {
  const url = URL.createObjectURL(await (await send(path)).blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
};

takeToken();
