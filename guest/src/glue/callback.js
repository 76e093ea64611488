// A method that takes a callback: `begin` gives what the callback has, and the callback's end is the end of it.
// `here` gives the stack, as errors have it.
(begin, index, finish, abort, here) => {
  const { apply } = Reflect;
  return async (...given) => {
    const stack = here();
    const { [finish]: commit, [abort]: rollback, ...held } = await apply(begin, undefined, given);
    let result;
    try {
      result = await given[index](held);
    } catch (error) {
      try {
        await rollback();
      } catch {
        // The callback's own error says more.
      }
      throw error;
    }
    try {
      await commit();
    } catch (error) {
      // By now the script's place in the code is not on the stack any more.
      if (stack !== undefined) error.stack = stack;
      throw error;
    }
    return result;
  };
}
