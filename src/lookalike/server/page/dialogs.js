// -- dialogs: a token, and a question before something is removed -----------------------------------------------------

/**
 * Opens a dialog; resolves to what `answer` makes of it when its form is sent, and to null when it is closed. The browser
 * keeps the focus inside, closes it with Escape, and gives the focus back.
 */
function dialog(title, content, accept, { id, danger = false } = {}, answer = () => true) {
  return new Promise((resolve) => {
    const close = (value) => {
      resolve(value);
      box.close();
      box.remove();
    };
    const box = h("dialog", { class: "dialog", id, "aria-labelledby": `${id}-title`, oncancel: () => close(null) },
      h("form", { method: "dialog", onsubmit: (event) => {
        event.preventDefault();
        close(answer());
      } },
      h("h2", { id: `${id}-title` }, title), content,
      h("div", { class: "dialog-buttons" },
        h("button", { type: "button", onclick: () => close(null) }, "Cancel"),
        h("button", { type: "submit", class: danger ? "danger" : "primary" }, accept))));
    document.body.append(box);
    box.showModal();
  });
}

let asking = null;

/** Asks for a token until there is one; `Problem` if nobody enters one. However many wait for it, it is asked once. */
async function enterToken(wrong) {
  asking ??= askForToken(wrong).finally(() => {
    asking = null;
  });
  await asking;
}

async function askForToken(wrong) {
  const field = h("input", { type: "password", id: "token", autocomplete: "off", spellcheck: "false", required: true, autofocus: true,
    pattern: "\\s*[\\x21-\\x7e]+\\s*", title: "letters, digits and punctuation without spaces", "aria-describedby": "token-help" });
  const token = await dialog(wrong ? "This server does not know that token" : "This server requires a token",
    [h("p", { id: "token-help" }, "Whoever runs the server has it: one to read, and one that also adds and removes. This page keeps it until you close or reload it, and stores it nowhere."),
      h("div", { class: "field" }, h("label", { for: "token" }, "Token"), field)],
    "Use this token", { id: "token-dialog" }, () => field.value.trim());
  if (!token) throw new Problem(401, { detail: "Without a token this server answers no requests. Reload the page to enter one." });
  access.token = token;
}

/** Asks whether something is really meant. */
const confirmed = (title, text, accept) => dialog(title, h("p", null, text), accept, { id: "confirm", danger: true });
