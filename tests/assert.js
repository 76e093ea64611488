/*
  What a case asserts with. It is put on the first line of the case, hence statements with semicolons and no comments to
  the end of a line. What it needs is taken before the case can change it.
*/
const assert = (() => {
  const { is, getPrototypeOf, getOwnPropertyDescriptor } = Object;
  const { ownKeys } = Reflect;
  const { stringify } = JSON;
  const fail = (message, note) => { throw new Error(note === undefined ? message : `${note}: ${message}`); };
  const shown = (value) => {
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (typeof value === "string") return stringify(value.length > 500 ? `${value.slice(0, 500)}...` : value);
    if (is(value, -0)) return "-0";
    if (typeof value !== "object" || value === null) return String(value);
    try { return stringify(value).slice(0, 500); } catch { return "an object without JSON"; }
  };
  const same = (a, b) => {
    if (is(a, b)) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (getPrototypeOf(a) !== getPrototypeOf(b)) return false;
    if (a instanceof Date) return is(a.getTime(), b.getTime());
    if (a instanceof Map || a instanceof Set) return same([...a], [...b]);
    const keys = ownKeys(a);
    return keys.length === ownKeys(b).length
      && keys.every((key) => getOwnPropertyDescriptor(b, key) !== undefined && same(a[key], b[key]));
  };
  const fits = (error, expected) => {
    for (const key of ownKeys(expected)) {
      const [actual, wanted] = [error?.[key], expected[key]];
      const right = wanted instanceof RegExp ? typeof actual === "string" && wanted.test(actual) : same(actual, wanted);
      if (!right) {
        fail(`${key} of what was thrown is ${shown(actual)}, not ${wanted instanceof RegExp ? wanted : shown(wanted)}`);
      }
    }
    return error;
  };
  return {
    ok(value, note) { if (!value) fail(`${shown(value)} is not truthy`, note); },
    equal(actual, expected, note) {
      if (!is(actual, expected)) fail(`${shown(actual)} is not ${shown(expected)}`, note);
    },
    deepEqual(actual, expected, note) {
      if (!same(actual, expected)) fail(`${shown(actual)} is not ${shown(expected)}`, note);
    },
    match(text, pattern, note) {
      if (typeof text !== "string" || !pattern.test(text)) fail(`${shown(text)} does not match ${pattern}`, note);
    },
    throws(call, expected = {}) {
      let returned;
      try { returned = call(); } catch (error) { return fits(error, expected); }
      return fail(`returned ${shown(returned)}, and did not throw`);
    },
    async rejects(promise, expected = {}) {
      let returned;
      try { returned = await (typeof promise === "function" ? promise() : promise); } catch (error) { return fits(error, expected); }
      return fail(`fulfilled with ${shown(returned)}, and did not reject`);
    },
  };
})();
