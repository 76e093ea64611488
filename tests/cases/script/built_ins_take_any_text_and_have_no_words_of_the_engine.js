export function main() {
  assert.equal(new URL("http://h/\ud800").href, "http://h/%EF%BF%BD");
  assert.equal(`${new URLSearchParams("a=\udc00")}`, "a=%EF%BF%BD");
  const odd = [
    undefined,
    null,
    1,
    -1,
    1e300,
    NaN,
    10n,
    "",
    "\ud800",
    "a\udc00b\0",
    {},
    [],
    () => 1,
    Symbol("s"),
    new Proxy({}, {}),
    "http://h/\ud800",
  ];
  const attempt = (name, call) => {
    try {
      call();
    } catch (error) {
      assert.ok(
        !/quickjs|into type|onversion|converting|utf-8 sequence|panicked|unknown error/i.test(
          error.message,
        ),
        `${name}: ${error.message}`,
      );
    }
  };
  for (const a of odd) {
    for (const b of odd) {
      for (const Class of [URL, URLSearchParams, TextEncoder, TextDecoder])
        attempt(`new ${Class.name}`, () => new Class(a, b));
      for (const f of [clearTimeout, clearInterval, atob, btoa, structuredClone, queueMicrotask])
        attempt(f.name, () => f(typeof a === "function" ? 1 : a, b));
      for (const name of ["randomUUID", "getRandomValues"]) attempt(name, () => crypto[name](a, b));
      const url = new URL("http://h/p?q=1");
      for (const part of [
        "href",
        "protocol",
        "host",
        "hostname",
        "port",
        "pathname",
        "search",
        "hash",
        "username",
        "password",
      ])
        attempt(part, () => {
          url[part] = a;
        });
      const query = url.searchParams;
      for (const name of ["append", "delete", "get", "getAll", "has", "set", "sort", "toString"])
        attempt(name, () => query[name](a, b));
      for (const name of ["encode", "encodeInto"])
        attempt(name, () => new TextEncoder()[name](a, b));
      attempt("decode", () => new TextDecoder().decode(a, b));
      for (const space of ["store", "search"])
        for (const name of Object.keys(g[space])) attempt(name, () => g[space][name](a, b));
    }
  }
}
