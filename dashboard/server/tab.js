// Run by every page as it is loaded, before all else. The server puts before it GONE,
// the code with which it closes a connection whose session it does not have,
// PLOTLY_SCRIPT, where Plotly's script lies, and STYLE, the style of every page.

// Before anything is drawn, so that nothing moves; after Streamlit's, which it changes.
{
  const style = Object.assign(document.createElement("style"), { textContent: STYLE });
  document.documentElement.append(style);
}

// Chrome 109, the last one for Windows 7 and 8, lacks it, and Streamlit draws nothing
// without.
if (!Array.prototype.toSorted) {
  Array.prototype.toSorted = function (compare) { return [...this].sort(compare) }
}

// Names this page for the server, which finds a reloaded tab's work by it.
(() => {
  const random = crypto.getRandomValues(new Uint32Array(4))
  const name = Array.from(random, (part) => part.toString(36).padStart(7, "0")).join("")
  let before = ""
  try {
    before = sessionStorage.getItem("coterie") ?? ""
    sessionStorage.setItem("coterie", name)
  } catch {
    // Without storage a reload begins anew.
  }
  // The server is where this script lies: Streamlit need not try beside each page.
  const own = /** @type {HTMLScriptElement} */ (document.currentScript)
  window.__streamlit = { BACKEND_BASE_URL: new URL(".", own.src).href }
  const Plain = window.WebSocket
  window.WebSocket = class extends Plain {
    constructor(address, protocols) {
      const asked = new URL(address, location.href)
      asked.searchParams.set("tab", name)
      if (before) asked.searchParams.set("before", before)
      super(asked, protocols)
      this.addEventListener("close", (event) => {
        if (event.code === GONE) location.reload()  // which says why
      })
    }
  }
})()

// Charts find what is read here.
{
  const script = document.createElement("script")
  script.onerror = () => script.remove()
  document.head.append(
    Object.assign(script, { src: PLOTLY_SCRIPT, fetchPriority: "low" })
  )
}
