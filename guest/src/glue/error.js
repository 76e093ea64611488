// The class of the errors of `g`. The name is a property of the prototype, as in the classes of the language.
(class GError extends Error {
  static {
    Object.defineProperty(this.prototype, "name", { value: "GError", writable: true, configurable: true });
  }
})
