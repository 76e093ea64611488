// Returns a method that takes a callback. `begin` returns the object for the callback; its method `finish` or `abort` is
// called when the callback has settled. `here` returns the current stack.
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
        // The error of the callback is more useful.
      }
      throw error;
    }
    try {
      await commit();
    } catch (error) {
      // The line of the script is no longer on the stack.
      if (stack !== undefined) error.stack = stack;
      throw error;
    }
    return result;
  };
}
