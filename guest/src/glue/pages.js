// A method that returns an iterator over the items of all pages: `begin` takes its arguments and returns what reads the next
// page. A generator has all that an iterator has: `return`, `Symbol.iterator`, the helpers of Iterator.prototype.
(begin) => {
  const { apply } = Reflect;
  function* items(read) {
    for (let page = read(); page.length > 0; page = read()) {
      for (let index = 0; index < page.length; index++) yield page[index];
    }
  }
  return (...given) => items(apply(begin, undefined, given));
}
