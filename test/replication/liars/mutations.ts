/** Messages in which one member is replaced by a hostile value: every member, at every depth. */
import type { Message } from './set.ts'

/** The id of another set. */
export const OTHER_SET = '00000000-0000-4000-8000-000000000000'

/** Marks a missing member. */
const MISSING = Symbol('missing')

const HOSTILE: readonly unknown[] = [
  2 ** 53 - 1,
  2 ** 53,
  10n ** 1000n,
  -1,
  0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1.5,
  2 ** 31,
  2 ** 32,
  '',
  'x'.repeat(100_000),
  '9007199254740991',
  OTHER_SET,
  '__proto__',
  'f'.repeat(32),
  MISSING,
  null,
  true,
  [],
  {},
  Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`m${at}`, at])),
  Array.from({ length: 2000 }, () => 2 ** 53 - 1),
  new Uint8Array(0),
  new Uint8Array(40).fill(255),
]

type Path = readonly (string | number)[]

/** The paths of all members, lists and objects. The first and the last item of a list represent the list. */
function* pathsIn(value: unknown, at: Path = []): Generator<Path> {
  if (at.length > 0 && at[0] !== 'kind') yield at
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  if (Array.isArray(value)) {
    if (value.length > 0) yield* pathsIn(value[0], [...at, 0])
    if (value.length > 1) yield* pathsIn(value.at(-1), [...at, value.length - 1])
    return
  }
  for (const [name, member] of Object.entries(value)) yield* pathsIn(member, [...at, name])
}

function replaced(value: unknown, [first, ...rest]: Path, by: unknown): unknown {
  if (first === undefined) return by
  if (Array.isArray(value)) return value.map((member, at) => (at === first ? replaced(member, rest, by) : member))
  const entries = Object.entries(value as object).flatMap(([name, member]) => {
    const next = name === first ? replaced(member, rest, by) : member
    return next === MISSING ? [] : [[name, next] as const]
  })
  return Object.fromEntries(entries)
}

/** Undefined if a list item would be missing, because a list has no gaps. */
function withLie(message: Message, path: Path, by: unknown): Message | undefined {
  return by === MISSING && typeof path.at(-1) === 'number' ? undefined : (replaced(message, path, by) as Message)
}

/** A message with one false member. */
export interface Lie {
  readonly text: string
  readonly message: Message
}

/**
 * All messages with one false member.
 * @param each The number of values for each member; successive members get different values. Default: all.
 * @param first The index of the first value.
 */
export function* liesIn(message: Message, each = HOSTILE.length, first = 0): Generator<Lie> {
  let turn = first
  for (const path of pathsIn(message))
    for (let n = 0; n < each; n++) {
      const by = HOSTILE[turn++ % HOSTILE.length]
      const lie = withLie(message, path, by)
      if (lie) yield { text: `${String(message['kind'])} ${path.join('.')} = ${String(by).slice(0, 20)}`, message: lie }
    }
}

/**
 * The message with one random false member.
 * @param int Returns a random number from 0 to its argument, exclusive.
 */
export function oneLieIn(message: Message, int: (below: number) => number): Message {
  const paths = [...pathsIn(message)]
  const path = paths[int(paths.length)]
  const by = HOSTILE[int(HOSTILE.length)]
  return (path && withLie(message, path, by)) ?? message
}
