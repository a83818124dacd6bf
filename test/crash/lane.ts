/**
 * A model of the acts of one lane of the crash test, independent of the kernel. Lanes run concurrently, each with its own names, and one
 * act at a time.
 */

export interface KeyState {
  readonly latest: number
  readonly minDecryption: number
  readonly minEncryption: number
  readonly minAvailable: number
  readonly deletable: boolean
  /** The number of the act that created the key. It does not decrypt the ciphertexts of an older key with the same name. */
  readonly born: number
}

export interface VersionState {
  readonly state: 'kept' | 'deleted' | 'destroyed'
  readonly value: number
}

export interface LaneState {
  readonly keys: Readonly<Record<string, KeyState>>
  readonly secrets: Readonly<Record<string, number>>
  /** Versions of a secret of KV version 2; index 0 is version 1. */
  readonly versioned: Readonly<Record<string, readonly VersionState[]>>
  /** By name. `uses` 0 means unlimited. */
  readonly tokens: Readonly<Record<string, { readonly uses: number; readonly parent?: string | undefined }>>
  readonly policies: Readonly<Record<string, number>>
  readonly mounts: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** The numbers of the acts that created them, if they are still valid. */
  readonly wrapped: readonly number[]
  readonly leases: readonly number[]
  readonly logins: readonly number[]
}

export const NOTHING: LaneState = {
  keys: {},
  secrets: {},
  versioned: {},
  tokens: {},
  policies: {},
  mounts: {},
  wrapped: [],
  leases: [],
  logins: [],
}

/** `n` counts the acts of a lane, and is the source of the values that they write. */
export type Act = { readonly n: number } & (
  | { readonly do: 'create key' | 'rotate key' | 'encrypt' | 'allow deletion' | 'delete key'; readonly name: string }
  | { readonly do: 'raise bounds' | 'trim key'; readonly name: string; readonly to: number }
  | { readonly do: 'write secret' | 'delete secret'; readonly path: string }
  | { readonly do: 'write version' | 'remove versions'; readonly path: string }
  | { readonly do: 'delete version' | 'undelete version' | 'destroy version'; readonly path: string; readonly version: number }
  | { readonly do: 'create token'; readonly name: string; readonly uses: number; readonly parent?: string | undefined }
  | { readonly do: 'use token' | 'revoke token'; readonly name: string }
  | { readonly do: 'write policy' | 'delete policy'; readonly name: string }
  | { readonly do: 'mount' | 'unmount' | 'write in mount'; readonly path: string }
  | { readonly do: 'wrap' | 'lease' | 'revoke all leases' }
  | { readonly do: 'log in'; readonly account: string }
  | { readonly do: 'unwrap' | 'revoke lease' | 'log out'; readonly of: number }
)

export type Random = () => number

/** Returns the same numbers for the same seed. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T

const KEYS = ['k0', 'k1', 'k2']
const PATHS = ['p', 'p/q', 's']
const POLICIES = ['x', 'y']
const MOUNTS = ['m0', 'm1']
const ACCOUNTS = ['w0', 'w1']
/** More versions than this would delete the oldest. */
const MAX_VERSIONS = 10
/** The maximum number of tokens, leases, logins and wrapped answers that are valid at a time. */
const MAX_OPEN = 4

/** Returns an act that the kernel must not refuse. */
export function nextAct(state: LaneState, n: number, random: Random): Act {
  return pick(random, pick(random, possible(state, n, random)))
}

/** Grouped by kind, so that each kind is equally likely. */
function possible(state: LaneState, n: number, random: Random): readonly (readonly Act[])[] {
  const path = pick(random, PATHS)
  const versions = state.versioned[path] ?? []
  const version = 1 + Math.floor(random() * versions.length)
  const policy = pick(random, POLICIES)
  const mount = pick(random, MOUNTS)
  const account = pick(random, ACCOUNTS)
  const kinds: Act[][] = [
    keyActs(state, pick(random, KEYS), n),
    [{ n, do: 'write secret', path }, ...(state.secrets[path] === undefined ? [] : [{ n, do: 'delete secret', path } as const])],
    versions.length === 0
      ? [{ n, do: 'write version', path }]
      : [
          ...(versions.length < MAX_VERSIONS ? [{ n, do: 'write version', path } as const] : []),
          { n, do: 'delete version', path, version },
          { n, do: 'undelete version', path, version },
          { n, do: 'destroy version', path, version },
          { n, do: 'remove versions', path },
        ],
    tokenActs(state, n, random),
    [
      { n, do: 'write policy', name: policy },
      ...(state.policies[policy] === undefined ? [] : [{ n, do: 'delete policy', name: policy } as const]),
    ],
    state.mounts[mount]
      ? [
          { n, do: 'write in mount', path: mount },
          { n, do: 'unmount', path: mount },
        ]
      : [{ n, do: 'mount', path: mount }],
    [
      ...(state.wrapped.length < MAX_OPEN ? [{ n, do: 'wrap' } as const] : []),
      ...state.wrapped.map((of) => ({ n, do: 'unwrap', of }) as const),
    ],
    [
      ...(state.leases.length < MAX_OPEN ? [{ n, do: 'lease' } as const] : [{ n, do: 'revoke all leases' } as const]),
      ...state.leases.map((of) => ({ n, do: 'revoke lease', of }) as const),
    ],
    [
      ...(state.logins.length < MAX_OPEN ? [{ n, do: 'log in', account } as const] : []),
      ...state.logins.map((of) => ({ n, do: 'log out', of }) as const),
    ],
  ]
  return kinds.filter((acts) => acts.length > 0)
}

/** The kernel chooses the names of these, so without an answer the test cannot find them. */
export const isNameless = (act: Act): boolean => act.do === 'wrap' || act.do === 'lease' || act.do === 'log in'

function keyActs({ keys }: LaneState, name: string, n: number): Act[] {
  const key = keys[name]
  if (!key) return [{ n, do: 'create key', name }]
  const acts: Act[] = [
    { n, do: 'encrypt', name },
    { n, do: 'encrypt', name },
    { n, do: 'rotate key', name },
    key.deletable ? { n, do: 'delete key', name } : { n, do: 'allow deletion', name },
  ]
  if (key.minDecryption < key.latest) acts.push({ n, do: 'raise bounds', name, to: key.minDecryption + 1 })
  if (key.minEncryption > 0 && key.minAvailable < key.minDecryption) acts.push({ n, do: 'trim key', name, to: key.minDecryption })
  return acts
}

/** A token's name is never used again, because a revoked token occupies it until it has been deleted. */
function tokenActs({ tokens }: LaneState, n: number, random: Random): Act[] {
  const names = Object.keys(tokens)
  const makers = names.filter((name) => tokens[name]?.uses === 0)
  const parent = random() < 0.5 && makers.length > 0 ? pick(random, makers) : undefined
  const acts: Act[] =
    names.length < MAX_OPEN ? [{ n, do: 'create token', name: `t${n}`, uses: random() < 0.5 ? 3 : 0, parent }] : []
  if (names.length === 0) return acts
  const name = pick(random, names)
  return [...acts, { n, do: 'use token', name }, { n, do: 'use token', name }, { n, do: 'revoke token', name }]
}

const without = <T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).filter(([other]) => other !== name))

/** The state after an act, which is applied completely or not at all. */
export function after(state: LaneState, act: Act): LaneState {
  switch (act.do) {
    case 'create key': {
      const key = { latest: 1, minDecryption: 1, minEncryption: 0, minAvailable: 0, deletable: false, born: act.n }
      return { ...state, keys: { ...state.keys, [act.name]: key } }
    }
    case 'rotate key':
      return changeKey(state, act.name, (key) => ({ ...key, latest: key.latest + 1 }))
    case 'allow deletion':
      return changeKey(state, act.name, (key) => ({ ...key, deletable: true }))
    case 'raise bounds':
      return changeKey(state, act.name, (key) => ({ ...key, minDecryption: act.to, minEncryption: act.to }))
    case 'trim key':
      return changeKey(state, act.name, (key) => ({ ...key, minAvailable: act.to }))
    case 'delete key':
      return { ...state, keys: without(state.keys, act.name) }
    case 'encrypt':
      return state
    case 'write secret':
      return { ...state, secrets: { ...state.secrets, [act.path]: act.n } }
    case 'delete secret':
      return { ...state, secrets: without(state.secrets, act.path) }
    case 'write version': {
      const versions = [...(state.versioned[act.path] ?? []), { state: 'kept', value: act.n } as const]
      return { ...state, versioned: { ...state.versioned, [act.path]: versions } }
    }
    case 'remove versions':
      return { ...state, versioned: without(state.versioned, act.path) }
    case 'delete version':
      return mark(state, act.path, act.version, (was) => (was === 'destroyed' ? was : 'deleted'))
    case 'undelete version':
      return mark(state, act.path, act.version, (was) => (was === 'destroyed' ? was : 'kept'))
    case 'destroy version':
      return mark(state, act.path, act.version, () => 'destroyed')
    case 'create token':
      return { ...state, tokens: { ...state.tokens, [act.name]: { uses: act.uses, parent: act.parent } } }
    case 'use token': {
      const token = state.tokens[act.name]
      if (!token || token.uses === 0) return state
      if (token.uses === 1) return { ...state, tokens: withoutFamily(state.tokens, act.name) }
      return { ...state, tokens: { ...state.tokens, [act.name]: { ...token, uses: token.uses - 1 } } }
    }
    case 'revoke token':
      return { ...state, tokens: withoutFamily(state.tokens, act.name) }
    case 'write policy':
      return { ...state, policies: { ...state.policies, [act.name]: act.n } }
    case 'delete policy':
      return { ...state, policies: without(state.policies, act.name) }
    case 'mount':
      return { ...state, mounts: { ...state.mounts, [act.path]: {} } }
    case 'unmount':
      return { ...state, mounts: without(state.mounts, act.path) }
    case 'write in mount':
      return { ...state, mounts: { ...state.mounts, [act.path]: { ...state.mounts[act.path], [`e${act.n % 3}`]: act.n } } }
    case 'wrap':
      return { ...state, wrapped: [...state.wrapped, act.n] }
    case 'unwrap':
      return { ...state, wrapped: state.wrapped.filter((n) => n !== act.of) }
    case 'lease':
      return { ...state, leases: [...state.leases, act.n] }
    case 'revoke lease':
      return { ...state, leases: state.leases.filter((n) => n !== act.of) }
    case 'revoke all leases':
      return { ...state, leases: [] }
    case 'log in':
      return { ...state, logins: [...state.logins, act.n] }
    case 'log out':
      return { ...state, logins: state.logins.filter((n) => n !== act.of) }
  }
}

function changeKey(state: LaneState, name: string, change: (key: KeyState) => KeyState): LaneState {
  return { ...state, keys: { ...state.keys, [name]: change(state.keys[name] as KeyState) } }
}

type Mark = VersionState['state']

function mark(state: LaneState, path: string, version: number, change: (was: Mark) => Mark): LaneState {
  const versions = (state.versioned[path] ?? []).map((known, index) =>
    index + 1 === version ? { ...known, state: change(known.state) } : known,
  )
  return { ...state, versioned: { ...state.versioned, [path]: versions } }
}

/** A token is removed with all its descendants. */
function withoutFamily(tokens: LaneState['tokens'], name: string): LaneState['tokens'] {
  const gone = new Set([name])
  for (let before = 0; before < gone.size; ) {
    before = gone.size
    for (const [other, { parent }] of Object.entries(tokens)) if (parent !== undefined && gone.has(parent)) gone.add(other)
  }
  return Object.fromEntries(Object.entries(tokens).filter(([other]) => !gone.has(other)))
}
