// A method that takes a callback: `begin` gives what the callback has, and the callback's end is the end of it.
(begin, index, finish, abort) => {
  const { apply } = Reflect;
  return async (...given) => {
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
    await commit();
    return result;
  };
}
