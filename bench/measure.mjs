/**
 * Times candidates against each other. The machine is never quiet and never the same twice, so nothing is measured on its own: in every
 * round all candidates take turns in shuffled order, and what counts are ratios and differences within one round.
 */
import { performance } from 'node:perf_hooks'

/** How long one sample takes: long against the timer, short against the slices in which other processes get the machine. */
const SAMPLE_MS = 1.5
const SAMPLES_PER_ROUND = 7
/** Operations that take longer than this are sampled less often. */
const SLOW_MS = 6
const WARM_UP_MS = 150

/**
 * @param candidates name to `(n) => void | Promise`, which does the thing n times. Each has a loop of its own, because a loop that is
 * shared is optimised for none of them.
 * @param now Milliseconds. {@link processorTime} where the work is all in this process and waits for nothing.
 * @returns {Promise<Rounds>} per round and candidate the median of its samples
 */
export async function measure(candidates, { rounds = 11, now = () => performance.now() } = {}) {
  const entries = []
  for (const [name, run] of Object.entries(candidates)) entries.push({ name, run, n: await warmUp(run, now), rounds: [] })
  for (let round = 0; round < rounds; round++) await measureRound(entries, now)
  return new Rounds(new Map(entries.map((entry) => [entry.name, entry.rounds])))
}

async function measureRound(entries, now) {
  const samples = new Map(entries.map((entry) => [entry, []]))
  for (let pass = 0; pass < SAMPLES_PER_ROUND; pass++) {
    for (const entry of shuffled(entries)) {
      const own = samples.get(entry)
      if (own.length >= 3 && own[0] > SLOW_MS * 1000) continue
      own.push(await sample(entry.run, entry.n, now))
    }
  }
  for (const [entry, own] of samples) entry.rounds.push(statistics(own).median)
}

/** Microseconds per operation. */
async function sample(run, n, now) {
  const start = now()
  await run(n)
  return ((now() - start) * 1000) / n
}

/** Of all threads of this process, in milliseconds: what others do on the machine is not in it. */
export function processorTime() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Runs until the code is optimised; returns how many operations make a sample. */
async function warmUp(run, now) {
  const end = performance.now() + WARM_UP_MS
  let n = 1
  let best = Number.POSITIVE_INFINITY
  do {
    const each = await sample(run, n, now)
    best = Math.min(best, each)
    n = Math.max(1, Math.min(n * 4, Math.round((SAMPLE_MS * 1000) / each)))
  } while (performance.now() < end)
  return Math.max(1, Math.round((SAMPLE_MS * 1000) / best))
}

function shuffled(list) {
  const copy = list.slice()
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1))
    ;[copy[i], copy[j]] = [copy[j], copy[i]]
  }
  return copy
}

/** What all candidates took in every round, in microseconds. */
export class Rounds {
  #samples

  constructor(samples) {
    this.#samples = samples
  }

  get names() {
    return [...this.#samples.keys()]
  }

  has(name) {
    return this.#samples.has(name)
  }

  time(name) {
    return statistics(this.#samples.get(name))
  }

  /** How many times as fast as `base`: above 1 is faster. */
  speed(name, base) {
    return this.#pairwise(name, base, (own, other) => other / own)
  }

  /** Microseconds more than `base`. */
  extra(name, base) {
    return this.#pairwise(name, base, (own, other) => own - other)
  }

  /** What a thing adds to `base`, in multiples of what `floor` takes. */
  added(name, base, floor) {
    const [own, others, floors] = [name, base, floor].map((each) => this.#samples.get(each))
    return statistics(own.map((time, round) => (time - others[round]) / floors[round]))
  }

  #pairwise(name, base, compare) {
    const others = this.#samples.get(base)
    return statistics(this.#samples.get(name).map((own, round) => compare(own, others[round])))
  }
}

/** The median, and the middle half of the rounds as the spread. */
function statistics(samples) {
  const sorted = samples.slice().sort((a, b) => a - b)
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)]
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}
