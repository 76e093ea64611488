// URL and URLSearchParams; `native` parses and serializes according to the URL Standard.
(native) => {
  const toWellFormed = Function.prototype.call.bind(String.prototype.toWellFormed);
  // Unpaired surrogates are replaced, as for every USVString.
  const textOf = (value) => toWellFormed(`${value}`);
  const hrefOf = (url, base) => native.parseUrl(textOf(url), base === undefined ? undefined : textOf(base));

  class URLSearchParams {
    #pairs = [];
    // Called after each change; set by the URL to which the parameters belong.
    #changed = () => {};
    constructor(init = "") {
      if (init !== null && typeof init === "object") {
        const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
        for (const pair of pairs) {
          const [name, value, ...more] = pair;
          if (value === undefined || more.length) throw new TypeError("each pair of URLSearchParams has a name and a value");
          this.#pairs.push([textOf(name), textOf(value)]);
        }
      } else {
        this.#read(`${init}`);
      }
    }
    static of(query, changed) {
      const parameters = new URLSearchParams(query);
      parameters.#changed = changed;
      return parameters;
    }
    static refill(parameters, query) {
      parameters.#read(query);
    }
    static format(parameters) {
      return native.formatPairs(parameters.#pairs.flat());
    }
    #read(query) {
      this.#pairs = native.parsePairs(query.replace(/^\?/, ""));
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      this.#pairs.push([textOf(name), textOf(value)]);
      this.#changed();
    }
    delete(name, value) {
      const removed = this.#matcher(name, value);
      this.#pairs = this.#pairs.filter((pair) => !removed(pair));
      this.#changed();
    }
    get(name) {
      return this.#pairs.find(this.#matcher(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(this.#matcher(name)).map(([, value]) => value);
    }
    has(name, value) {
      return this.#pairs.some(this.#matcher(name, value));
    }
    set(name, value) {
      const matches = this.#matcher(name);
      const first = this.#pairs.find(matches);
      if (!first) return this.append(name, value);
      first[1] = textOf(value);
      this.#pairs = this.#pairs.filter((pair) => pair === first || !matches(pair));
      this.#changed();
    }
    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#changed();
    }
    #matcher(name, value) {
      name = textOf(name);
      if (value === undefined) return ([n]) => n === name;
      value = textOf(value);
      return ([n, v]) => n === name && v === value;
    }
    forEach(callback, thisArgument) {
      for (const [name, value] of this.entries()) callback.call(thisArgument, value, name, this);
    }
    // Iteration sees changes that are made meanwhile.
    *entries() {
      for (let i = 0; i < this.#pairs.length; i++) yield [...this.#pairs[i]];
    }
    *keys() {
      for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][0];
    }
    *values() {
      for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][1];
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return format(this);
    }
  }
  const { of, refill, format } = URLSearchParams;
  delete URLSearchParams.of;
  delete URLSearchParams.refill;
  delete URLSearchParams.format;

  class URL {
    #address;
    #parameters;
    // Whether the parameters have changed since they were written to the address.
    #isStale = false;
    constructor(url, base) {
      this.#address = hrefOf(url, base);
      if (this.#address === undefined) {
        throw Object.assign(new TypeError(`Invalid URL: '${textOf(url)}'`), { code: "ERR_INVALID_URL" });
      }
    }
    static canParse(url, base) {
      return hrefOf(url, base) !== undefined;
    }
    static parse(url, base) {
      return URL.canParse(url, base) ? new URL(url, base) : null;
    }
    get searchParams() {
      this.#parameters ??= of(this.search, () => {
        this.#isStale = true;
      });
      return this.#parameters;
    }
    get #href() {
      if (this.#isStale) {
        this.#isStale = false;
        this.#address = native.setPart(this.#address, "search", format(this.#parameters));
      }
      return this.#address;
    }
    static {
      for (const part of ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]) {
        const set = function (value) {
          value = textOf(value);
          const href = native.setPart(this.#href, part, value);
          if (href === undefined) throw new TypeError(`Invalid URL: '${value}'`);
          this.#address = href;
          if (this.#parameters && (part === "search" || part === "href")) refill(this.#parameters, this.search);
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
