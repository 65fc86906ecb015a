// Asks for the events of a net, in a thread of its own: browsers slow down the timers of hidden pages, but not
// those of workers. Each request is short, so many pages share the few connections of a browser.

/** The time between two requests in milliseconds. */
const PAUSE = 400;

const sleep = (time) => new Promise((resolve) => { setTimeout(resolve, time); });

const poll = async ({ path, token }) => {
  for (;;) {
    let pause = PAUSE;
    try {
      const response = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
      const text = await response.text();
      if (response.ok) {
        if (text) postMessage({ text });
        else postMessage({});
        // The server sends long answers in pieces.
        if (text.length > 500000) pause = 0;
      } else {
        let reason = `${response.status} ${response.statusText}`;
        try {
          reason = JSON.parse(text).error ?? reason;
        } catch {
          // The answer is not from Parikh, so its status has to do.
        }
        postMessage({ status: response.status, reason });
        if (response.status === 401 || response.status === 404) return;
        pause = 2000;
      }
    } catch {
      postMessage({ reason: "The connection to the server is lost; trying again …" });
      pause = 2000;
    }
    await sleep(pause);
  }
};

addEventListener("message", ({ data }) => poll(data), { once: true });
