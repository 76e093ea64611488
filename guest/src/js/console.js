// console: what a script says, for people. `native.write(level, text)` takes it.
(native, inspect) => {
  const timers = new Map();
  const counts = new Map();
  let indent = "";

  function format(values) {
    if (typeof values[0] !== "string") return values.map((value) => inspect(value, true)).join(" ");
    let next = 1;
    const text = values[0].replace(/%([%sdifjoOc])/g, (match, kind) => {
      if (kind === "%") return "%";
      if (next >= values.length) return match;
      const value = values[next++];
      switch (kind) {
        case "s": return typeof value === "object" && value !== null ? inspect(value) : String(value);
        case "d": return typeof value === "symbol" ? "NaN" : typeof value === "bigint" ? `${value}n` : String(Number(value));
        case "i": return typeof value === "symbol" ? "NaN" : typeof value === "bigint" ? `${value}n` : String(parseInt(value));
        case "f": return typeof value === "symbol" ? "NaN" : String(parseFloat(value));
        case "j": return JSON.stringify(value) ?? "undefined";
        case "c": return "";
        default: return inspect(value);
      }
    });
    return [text, ...values.slice(next).map((value) => inspect(value, true))].join(" ");
  }

  const write = (level, text) => native.write(level, indent ? indent + text.replaceAll("\n", "\n" + indent) : text);
  const writer = (level) => (...values) => write(level, format(values));

  function table(rows, columns) {
    if (rows === null || typeof rows !== "object") return write("info", format([rows]));
    const entries = rows instanceof Map ? [...rows.entries()] : rows instanceof Set ? [...rows].map((row, i) => [i, row]) : Object.entries(rows);
    const names = [...new Set(entries.flatMap(([, row]) => (row !== null && typeof row === "object" ? Object.keys(row) : [])))]
      .filter((name) => !columns || columns.includes(name));
    const plain = entries.some(([, row]) => row === null || typeof row !== "object");
    const head = ["(idx)", ...names, ...(plain ? ["Values"] : [])];
    const lines = entries.map(([key, row]) => {
      const isObject = row !== null && typeof row === "object";
      const cells = names.map((name) => (isObject && name in row ? inspect(row[name]) : ""));
      return [String(key), ...cells, ...(plain ? [isObject ? "" : inspect(row)] : [])];
    });
    const widths = head.map((name, i) => Math.max(name.length, ...lines.map((line) => line[i].length)) + 2);
    const rule = (left, middle, right) => left + widths.map((width) => "─".repeat(width)).join(middle) + right;
    const row = (cells) => "│" + cells.map((cell, i) => (" " + cell).padEnd(widths[i])).join("│") + "│";
    write("info", [rule("┌", "┬", "┐"), row(head), rule("├", "┼", "┤"), ...lines.map(row), rule("└", "┴", "┘")].join("\n"));
  }

  const elapsed = (label) => `${label}: ${Math.round(native.now() - timers.get(label))}ms`;

  return {
    log: writer("info"),
    info: writer("info"),
    debug: writer("debug"),
    warn: writer("warn"),
    error: writer("error"),
    dir: (value) => write("info", inspect(value)),
    table,
    trace: (...values) => write("error", ["Trace", values.length ? ": " + format(values) : "", "\n", native.scriptStack(new Error().stack)].join("").trimEnd()),
    assert: (condition, ...values) => {
      if (condition) return;
      write("error", values.length ? `Assertion failed: ${format(values)}` : "Assertion failed");
    },
    count: (label = "default") => {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      write("info", `${label}: ${counts.get(label)}`);
    },
    countReset: (label = "default") => void counts.delete(label),
    time: (label = "default") => {
      if (timers.has(label)) return write("warn", `Timer '${label}' already exists`);
      timers.set(label, native.now());
    },
    timeLog: (label = "default", ...values) => {
      if (!timers.has(label)) return write("warn", `Timer '${label}' does not exist`);
      write("info", [elapsed(label), ...values.map((value) => inspect(value, true))].join(" "));
    },
    timeEnd: (label = "default") => {
      if (!timers.has(label)) return write("warn", `Timer '${label}' does not exist`);
      write("info", elapsed(label));
      timers.delete(label);
    },
    group: (...values) => {
      if (values.length) write("info", format(values));
      indent += "    ";
    },
    groupEnd: () => {
      indent = indent.slice(4);
    },
  };
}
