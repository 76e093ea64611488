// console: formats its arguments and passes lines to `native.write(level, text)`.
(native, inspect) => {
  const free = Function.prototype.bind.bind(Function.prototype.call);
  const replaceAll = free(String.prototype.replaceAll);
  const trimEnd = free(String.prototype.trimEnd);
  const indexOf = free(String.prototype.indexOf);
  const repeat = free(String.prototype.repeat);
  const cut = free(String.prototype.slice);
  const { isInteger, parseFloat, parseInt } = Number;
  const { round, max } = Math;
  const { stringify } = JSON;
  const timers = Object.create(null);
  const counts = Object.create(null);
  let indent = "";

  // A value that can't be converted to text is formatted.
  function plain(value) {
    try {
      return `${value}`;
    } catch {
      return inspect(value);
    }
  }

  function placeholder(kind, value) {
    switch (kind) {
      case "s": return plain(value);
      case "d":
      case "i": return typeof value === "symbol" ? "NaN" : `${parseInt(value)}`;
      case "f": return typeof value === "symbol" ? "NaN" : `${parseFloat(value)}`;
      case "j": return stringify(value) ?? "undefined";
      case "o":
      case "O": return inspect(value);
      case "c": return "";
      default: return null;
    }
  }

  function format(values) {
    let text = "";
    let next = 0;
    if (typeof values[0] === "string") {
      const first = values[0];
      next = 1;
      // The end of the copied part. A long text is copied in pieces, from one placeholder to the next.
      let copied = 0;
      let at = next < values.length ? indexOf(first, "%") : -1;
      for (; at >= 0; at = indexOf(first, "%", at)) {
        const kind = first[at + 1];
        const isPercent = kind === "%";
        const shown = isPercent ? "%" : kind !== undefined && next < values.length ? placeholder(kind, values[next]) : null;
        if (shown === null) {
          at++;
          continue;
        }
        text += cut(first, copied, at) + shown;
        if (!isPercent) next++;
        at += 2;
        copied = at;
      }
      text += copied === 0 ? first : cut(first, copied);
    }
    for (let i = next; i < values.length; i++) text += (i > 0 ? " " : "") + inspect(values[i], true);
    return text;
  }

  const write = (level, text) => native.write(level, indent ? indent + replaceAll(text, "\n", "\n" + indent) : text);
  const writer = (level) => (...values) => write(level, format(values));

  function table(rows, columns) {
    if (rows === null || typeof rows !== "object") return write("info", format([rows]));
    const entries = rows instanceof Map ? [...rows.entries()] : rows instanceof Set ? [...rows].map((row, i) => [i, row]) : Object.entries(rows);
    const isRow = (row) => row !== null && typeof row === "object";
    const names = columns ? [...columns] : [...new Set(entries.flatMap(([, row]) => (isRow(row) ? Object.keys(row) : [])))];
    const values = entries.some(([, row]) => !isRow(row));
    const head = ["(idx)", ...names, ...(values ? ["Values"] : [])];
    const lines = entries.map(([key, row]) => {
      const cells = names.map((name) => (isRow(row) && name in row ? inspect(row[name]) : ""));
      return [`${key}`, ...cells, ...(values ? [isRow(row) ? "" : inspect(row)] : [])];
    });
    const widths = head.map((name, i) => lines.reduce((width, line) => max(width, line[i].length), name.length));
    const right = head.map((_, i) => lines.every((line) => isInteger(+line[i])));
    const rule = (left, middle, end) => left + widths.map((width) => repeat("─", width + 2)).join(middle) + end;
    const row = (cells, align) => "│" + cells.map((cell, i) => ` ${align && right[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i])} `).join("│") + "│";
    write("info", [rule("┌", "┬", "┐"), row(head, false), rule("├", "┼", "┤"), ...lines.map((line) => row(line, true)), rule("└", "┴", "┘")].join("\n"));
  }

  const group = (...values) => {
    if (values.length) write("info", format(values));
    indent += "    ";
  };

  const elapsed = (label) => `${label}: ${round(native.now() - timers[label])}ms`;

  return {
    log: writer("info"),
    info: writer("info"),
    debug: writer("debug"),
    warn: writer("warn"),
    error: writer("error"),
    dir: (value) => write("info", inspect(value)),
    dirxml: writer("info"),
    table,
    trace: (...values) => write("error", trimEnd(`Trace${values.length ? ": " + format(values) : ""}\n${native.scriptStack(new Error().stack)}`)),
    assert: (condition, ...values) => {
      if (condition) return;
      write("error", values.length ? `Assertion failed: ${format(values)}` : "Assertion failed");
    },
    count: (label = "default") => {
      counts[label] = (counts[label] ?? 0) + 1;
      write("info", `${label}: ${counts[label]}`);
    },
    countReset: (label = "default") => void delete counts[label],
    time: (label = "default") => {
      if (label in timers) return write("warn", `Timer '${label}' already exists`);
      timers[label] = native.now();
    },
    timeLog: (label = "default", ...values) => {
      if (!(label in timers)) return write("warn", `Timer '${label}' does not exist`);
      write("info", format([elapsed(label), ...values]));
    },
    timeEnd: (label = "default") => {
      if (!(label in timers)) return write("warn", `Timer '${label}' does not exist`);
      write("info", elapsed(label));
      delete timers[label];
    },
    group,
    groupCollapsed: (...values) => group(...values),
    groupEnd: () => {
      indent = cut(indent, 4);
    },
    // Lines that were written stay.
    clear: () => {
      indent = "";
    },
  };
}
