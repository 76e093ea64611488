// What every contender does, in the same words: `store` is what its own file makes of its storage.

const DOCUMENT = { text: "x".repeat(180), n: 1 }; // 200 bytes of JSON
const PAGE = 100;

/** How many calls were made in so many milliseconds, or rather in the first round number of calls that took longer. */
async function calls(milliseconds, call) {
  const end = performance.now() + milliseconds;
  let made = 0;
  let answer;
  for (let batch = 1; performance.now() < end; batch = Math.min(batch * 2, 64)) {
    for (const until = made + batch; made < until; made++) {
      answer = call(made);
      if (store.answersLater) answer = await answer;
    }
  }
  return { made, answer };
}

/** Numbers below `size` in no order, the same for every contender. */
function random(size, seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * size);
  };
}

/** Each measure: a call, and whether an answer is right. */
function measures(size, seed) {
  const any = random(size, seed);
  return {
    put: { call: (i) => store.put(`key${i}`, DOCUMENT), isRight: () => true },
    overwrite: { call: () => store.put(`key${any()}`, DOCUMENT), isRight: () => true },
    get: { call: () => store.get(`key${any()}`), isRight: (data) => data.n === DOCUMENT.n },
    list: { call: () => store.list(PAGE), isRight: (page) => page.length === PAGE },
    count: { call: () => store.count(), isRight: (count) => count === size },
  };
}

/** `fill` puts `size` documents; a measure tells how many calls it made. */
async function work(what, size, milliseconds, seed) {
  if (what === "fill") {
    await store.fill(Number(size), (i) => `key${i}`, DOCUMENT);
    return Number(size);
  }
  const { call, isRight } = measures(Number(size), Number(seed))[what];
  const { made, answer } = await calls(Number(milliseconds), call);
  if (!isRight(answer)) throw new Error(`${what} answered ${JSON.stringify(answer)}`);
  return made;
}
