// What `g` throws when a call fails. The name is no own property of each error, as with the language's own classes.
(class GError extends Error {
  static {
    Object.defineProperty(this.prototype, "name", { value: "GError", writable: true, configurable: true });
  }
})
