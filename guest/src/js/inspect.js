// Shows values as Deno's console does: nested to a depth of 4, up to 100 items, broken at 80 columns, without colours.
(() => {
  const DEPTH = 4;
  const ITEMS = 100;
  const WIDTH = 80;
  const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

  function quote(text) {
    const mark = !text.includes('"') ? '"' : !text.includes("'") ? "'" : !text.includes("`") ? "`" : '"';
    const escaped = text.replace(/[\\\x00-\x1f\x7f-\x9f]/g, (c) => escapes[c] ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
    return mark + (mark === '"' ? escaped.replaceAll('"', '\\"') : escaped) + mark;
  }
  const escapes = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\v": "\\v" };

  const keyOf = (key) =>
    typeof key === "symbol" ? `[${String(key)}]` : identifier.test(key) ? key : quote(key);

  function className(value) {
    for (let object = value; object; object = Object.getPrototypeOf(object)) {
      const own = Object.getOwnPropertyDescriptor(object, "constructor");
      if (own && typeof own.value === "function" && own.value.name) return own.value.name;
    }
    return null;
  }

  function primitive(value, top) {
    switch (typeof value) {
      case "string": return top ? value : quote(value);
      case "bigint": return `${value}n`;
      case "symbol": return String(value);
      case "number": return Object.is(value, -0) ? "-0" : String(value);
      default: return String(value);
    }
  }

  function functionText(value) {
    const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : className(value) ?? "Function";
    return value.name ? `[${kind}${kind === "class" ? "" : ":"} ${value.name}]` : `[${kind} (anonymous)]`;
  }

  class Inspector {
    seen = [];
    circular = new Map();

    show(value, depth = 0, top = false) {
      if (value === null || (typeof value !== "object" && typeof value !== "function")) return primitive(value, top);
      if (this.seen.includes(value)) {
        if (!this.circular.has(value)) this.circular.set(value, this.circular.size + 1);
        return `[Circular *${this.circular.get(value)}]`;
      }
      this.seen.push(value);
      const text = this.object(value, depth);
      this.seen.pop();
      return this.circular.has(value) ? `<ref *${this.circular.get(value)}> ${text}` : text;
    }

    object(value, depth) {
      if (typeof value === "function") return this.withMembers(functionText(value), value, depth);
      if (value instanceof Error) return this.error(value, depth);
      if (value instanceof Date) return this.withMembers(isNaN(value) ? "Invalid Date" : Date.prototype.toISOString.call(value), value, depth);
      if (value instanceof RegExp) return this.withMembers(RegExp.prototype.toString.call(value), value, depth);
      for (const Wrapper of [String, Number, Boolean, Symbol, BigInt]) {
        if (value instanceof Wrapper) return `[${Wrapper.name}: ${primitive(value.valueOf(), false)}]`;
      }
      if (value instanceof Promise) return "Promise { ... }";
      if (value instanceof WeakMap || value instanceof WeakSet) return `${className(value)} { <items unknown> }`;
      const name = className(value);
      if (depth > DEPTH) return `[${Array.isArray(value) ? "Array" : name ?? "Object: null prototype"}]`;
      if (Array.isArray(value)) return this.list(name === "Array" ? "" : `${name}(${value.length}) `, this.elements(value, depth), this.members(value, depth, true));
      if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return this.list(`${name}(${value.length}) `, this.elements(value, depth), this.members(value, depth, true));
      if (value instanceof Map) return this.braces(`${name}(${value.size}) `, this.cut([...Map.prototype.entries.call(value)], ([key, item]) => `${this.show(key, depth + 1)} => ${this.show(item, depth + 1)}`));
      if (value instanceof Set) return this.braces(`${name}(${value.size}) `, this.cut([...Set.prototype.values.call(value)], (item) => this.show(item, depth + 1)));
      if (value instanceof ArrayBuffer) return `${name} { byteLength: ${value.byteLength} }`;
      const tag = value[Symbol.toStringTag];
      const prefix = name === null ? "[Object: null prototype] " : name === "Object" ? "" : `${name} `;
      return this.braces(typeof tag === "string" && tag !== name ? `${prefix || "Object "}[${tag}] ` : prefix, this.members(value, depth));
    }

    error(value, depth) {
      const described = (() => {
        try { return Error.prototype.toString.call(value); } catch { return "Error"; }
      })();
      const stack = typeof value.stack === "string" && value.stack.trimEnd();
      let text = stack ? `${described}\n${stack}` : described;
      if (Object.hasOwn(value, "cause")) text += `\nCaused by ${this.show(value.cause, depth + 1)}`;
      const hidden = ["stack", "message", "cause"];
      const members = Object.keys(value).filter((key) => !hidden.includes(key)).map((key) => this.member(value, key, depth));
      return members.length ? `${text} ${this.braces("", members)}` : text;
    }

    withMembers(text, value, depth) {
      const members = this.members(value, depth);
      return members.length ? `${text} ${this.braces("", members)}` : text;
    }

    elements(value, depth) {
      const items = [];
      let holes = 0;
      const flush = () => {
        if (holes) items.push(`<${holes} empty item${holes > 1 ? "s" : ""}>`);
        holes = 0;
      };
      for (let i = 0; i < value.length && items.length < ITEMS; i++) {
        if (i in value) {
          flush();
          items.push(this.show(value[i], depth + 1));
        } else {
          holes++;
        }
      }
      flush();
      if (value.length > ITEMS && items.length >= ITEMS) items.push(`... ${value.length - ITEMS} more items`);
      return items;
    }

    cut(items, show) {
      const shown = items.slice(0, ITEMS).map(show);
      if (items.length > ITEMS) shown.push(`... ${items.length - ITEMS} more items`);
      return shown;
    }

    members(value, depth, isList = false) {
      const symbols = Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
      const keys = Object.keys(value).filter((key) => !isList || !/^\d+$/.test(key));
      return this.cut([...keys, ...symbols], (key) => this.member(value, key, depth));
    }

    member(value, key, depth) {
      const { get, set, value: item } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      const text = get || set ? `[${[get && "Getter", set && "Setter"].filter(Boolean).join("/")}]` : this.show(item, depth + 1);
      return `${keyOf(key)}: ${text}`;
    }

    list(prefix, items, members) {
      const all = [...items, ...members];
      if (all.length === 0) return `${prefix}[]`;
      return prefix + this.fit("[", grouped(all), "]");
    }

    braces(prefix, items) {
      return items.length === 0 ? `${prefix}{}` : prefix + this.fit("{", items, "}");
    }

    fit(open, items, close) {
      const line = `${open} ${items.join(", ")} ${close}`;
      if (line.length <= WIDTH - 4 && !line.includes("\n")) return line;
      return `${open}\n${items.map((item) => "  " + item.replaceAll("\n", "\n  ")).join(",\n")}\n${close}`;
    }
  }

  // Many short items share lines, in columns.
  function grouped(items) {
    if (items.length <= 6 || items.some((item) => item.length > 16 || item.includes("\n"))) return items;
    const width = Math.max(...items.map((item) => item.length)) + 2;
    const columns = Math.max(1, Math.min(Math.floor(Math.sqrt(2.5 * width * items.length) / width), Math.floor((WIDTH - 4) / width), 15));
    const numeric = items.every((item) => /^-?[\d.]+n?$/.test(item));
    const rows = [];
    for (let i = 0; i < items.length; i += columns) {
      const row = items.slice(i, i + columns);
      rows.push(row.map((item, at) => {
        const last = at === row.length - 1;
        if (numeric) return item.padStart(width - 2);
        return last ? item : `${item},`.padEnd(width - 1).slice(0, -1);
      }).join(numeric ? ", " : " "));
    }
    return rows;
  }

  return (value, top = false) => {
    try {
      return new Inspector().show(value, 0, top);
    } catch (error) {
      // A Proxy or a getter that throws: what it is must do.
      return `[${typeof value}]`;
    }
  };
})()
