// URL and URLSearchParams; `native` parses and serializes according to the URL Standard.
(native) => {
  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(init = "") {
      if (init !== null && typeof init === "object") {
        const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
        for (const pair of pairs) {
          const [name, value, ...more] = pair;
          if (value === undefined || more.length) throw new TypeError("each pair of URLSearchParams has a name and a value");
          this.#pairs.push([`${name}`, `${value}`]);
        }
      } else {
        this.#pairs = native.parsePairs(`${init}`.replace(/^\?/, ""));
      }
    }
    static of(query, changed) {
      const parameters = new URLSearchParams(query);
      parameters.#changed = changed;
      return parameters;
    }
    static refill(parameters, query) {
      parameters.#pairs = native.parsePairs(query.replace(/^\?/, ""));
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      this.#pairs.push([`${name}`, `${value}`]);
      this.#changed(this.toString());
    }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(([n, v]) => n !== `${name}` || (value !== undefined && v !== `${value}`));
      this.#changed(this.toString());
    }
    get(name) {
      return this.#pairs.find(([n]) => n === `${name}`)?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(([n]) => n === `${name}`).map(([, value]) => value);
    }
    has(name, value) {
      return this.#pairs.some(([n, v]) => n === `${name}` && (value === undefined || v === `${value}`));
    }
    set(name, value) {
      const first = this.#pairs.find(([n]) => n === `${name}`);
      if (!first) return this.append(name, value);
      first[1] = `${value}`;
      this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== `${name}`);
      this.#changed(this.toString());
    }
    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#changed(this.toString());
    }
    forEach(callback, thisArgument) {
      for (const [name, value] of this) callback.call(thisArgument, value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return native.formatPairs(this.#pairs.flat());
    }
  }
  const { of, refill } = URLSearchParams;
  delete URLSearchParams.of;
  delete URLSearchParams.refill;

  class URL {
    #href;
    #parameters;
    constructor(url, base) {
      const href = native.parseUrl(`${url}`, base === undefined ? undefined : `${base}`);
      if (href === undefined) throw Object.assign(new TypeError(`Invalid URL: '${url}'`), { code: "ERR_INVALID_URL" });
      this.#href = href;
    }
    static canParse(url, base) {
      return native.parseUrl(`${url}`, base === undefined ? undefined : `${base}`) !== undefined;
    }
    static parse(url, base) {
      return URL.canParse(url, base) ? new URL(url, base) : null;
    }
    get searchParams() {
      this.#parameters ??= of(this.search, (query) => {
        this.#href = native.setPart(this.#href, "search", query);
      });
      return this.#parameters;
    }
    static {
      for (const part of ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]) {
        const set = function (value) {
          const href = native.setPart(this.#href, part, `${value}`);
          if (href === undefined) throw new TypeError(`Invalid URL: '${value}'`);
          this.#href = href;
          if (this.#parameters) refill(this.#parameters, this.search);
        };
        Object.defineProperty(URL.prototype, part, {
          get() {
            return native.getPart(this.#href, part);
          },
          set: part === "origin" ? undefined : set,
          enumerable: true,
          configurable: true,
        });
      }
    }
    toString() {
      return this.#href;
    }
    toJSON() {
      return this.#href;
    }
  }

  return { URL, URLSearchParams };
}
