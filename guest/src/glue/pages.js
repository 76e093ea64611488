// Returns a method that returns an iterator over the items of all pages. `begin` takes the arguments and returns a function
// that reads the next page. A generator has `return`, `Symbol.iterator` and the helpers of Iterator.prototype.
(begin) => {
  const { apply } = Reflect;
  function* items(read) {
    for (let page = read(); page.length > 0; page = read()) {
      for (let index = 0; index < page.length; index++) yield page[index];
    }
  }
  return (...given) => items(apply(begin, undefined, given));
}
