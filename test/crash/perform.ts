/**
 * Runs the acts of the crash test on a kernel, and reads the state of a lane from it.
 */
import type { KernelError } from '../../src/index.ts'
import type { LendingWorld } from '../fixtures/lending.ts'
import type { Act, KeyState, LaneState, VersionState } from './lane.ts'
import { checkEntity, logIn } from './logins.ts'

/** The result of an act that could not be known before: a ciphertext, a wrapping token, a lease id, or the token of a login. */
export type Brought = string | undefined

/** The results of the acts of a lane, by act number. */
export type Memory = Readonly<Record<number, string>>

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
export const plaintextOf = (lane: string, n: number): Uint8Array => utf8(`plaintext ${n} of lane ${lane}`)
export const tokenOf = (lane: string, name: string): string => `${lane}-${name}-of-the-crash-test`
const policyOf = (n: number): string => `path "nowhere/${n}" { capabilities = ["read"] }`
/** Makes every other value longer than one page of the store. */
const dataOf = (n: number) => ({ n, filler: 'x'.repeat((n % 2) * 3000) })
/** The path of the KV version 2 mount. */
export const VERSIONED = 'v2/'
/** The key that is rotated automatically once an hour. */
export const AUTO = 'rotates-by-itself'

/** The prefix of login tokens in the memory, which also contains wrapping tokens. */
const LOGIN = 'login '
const loginToken = (brought: string): string => brought.slice(LOGIN.length)

export async function perform(lending: LendingWorld, lane: string, act: Act, memory: Memory): Promise<Brought> {
  const { kernel } = lending
  const own = (name: string) => `${lane}-${name}`
  switch (act.do) {
    case 'create key':
      await kernel.transit.createKey({ name: own(act.name) })
      return undefined
    case 'rotate key':
      await kernel.transit.rotateKey({ name: own(act.name) })
      return undefined
    case 'allow deletion':
      await kernel.transit.configureKey({ name: own(act.name), deletion_allowed: true })
      return undefined
    case 'raise bounds':
      await kernel.transit.configureKey({
        name: own(act.name),
        min_decryption_version: act.to,
        min_encryption_version: act.to,
      })
      return undefined
    case 'trim key':
      await kernel.transit.trimKey({ name: own(act.name), min_available_version: act.to })
      return undefined
    case 'delete key':
      await kernel.transit.deleteKey({ name: own(act.name) })
      return undefined
    case 'encrypt':
      return (await kernel.transit.encrypt({ name: own(act.name), plaintext: plaintextOf(lane, act.n) })).ciphertext
    case 'write secret':
      await kernel.kv.writeSecret({ path: `${lane}/${act.path}`, data: dataOf(act.n) })
      return undefined
    case 'delete secret':
      await kernel.kv.deleteSecret({ path: `${lane}/${act.path}` })
      return undefined
    case 'write version':
      await kernel.kv2.at(VERSIONED).writeSecret({ path: `${lane}/${act.path}`, data: dataOf(act.n) })
      return undefined
    case 'delete version':
      await kernel.kv2.at(VERSIONED).deleteVersions({ path: `${lane}/${act.path}`, versions: [act.version] })
      return undefined
    case 'undelete version':
      await kernel.kv2.at(VERSIONED).undeleteVersions({ path: `${lane}/${act.path}`, versions: [act.version] })
      return undefined
    case 'destroy version':
      await kernel.kv2.at(VERSIONED).destroyVersions({ path: `${lane}/${act.path}`, versions: [act.version] })
      return undefined
    case 'remove versions':
      await kernel.kv2.at(VERSIONED).deleteMetadata({ path: `${lane}/${act.path}` })
      return undefined
    case 'create token': {
      const maker = act.parent === undefined ? kernel : kernel.as(tokenOf(lane, act.parent))
      await maker.tokens.createToken({ id: tokenOf(lane, act.name), policies: ['root'], num_uses: act.uses })
      return undefined
    }
    case 'use token':
      await kernel.as(tokenOf(lane, act.name)).tokens.lookupSelf()
      return undefined
    case 'revoke token':
      await kernel.tokens.revokeToken({ token: tokenOf(lane, act.name) })
      return undefined
    case 'write policy':
      await kernel.policies.writePolicy({ name: own(act.name), policy: policyOf(act.n) })
      return undefined
    case 'delete policy':
      await kernel.policies.deletePolicy({ name: own(act.name) })
      return undefined
    case 'mount':
      await kernel.mounts.createMount({ path: own(act.path), type: 'kv' })
      return undefined
    case 'unmount':
      await kernel.mounts.deleteMount({ path: own(act.path) })
      return undefined
    case 'write in mount':
      await kernel.kv.at(own(act.path)).writeSecret({ path: `e${act.n % 3}`, data: dataOf(act.n) })
      return undefined
    case 'wrap':
      return (await kernel.wrapping.wrap({ data: dataOf(act.n), ttl: '300h' })).token
    case 'unwrap': {
      const { answer } = await kernel.wrapping.unwrap({ token: memory[act.of] as string })
      if (JSON.stringify(answer['data']) !== JSON.stringify(dataOf(act.of))) throw new Error('another answer was wrapped')
      return undefined
    }
    case 'lease': {
      const { status, lease_id, errors } = await lending.ask('GET', `lend/creds/${lane}`, { ttl: 600_000, max_ttl: 600_000 })
      if (status !== 200) throw Object.assign(new Error(`${status} ${errors}`), { status })
      return lease_id
    }
    case 'revoke lease':
      await kernel.leases.revokeLease({ lease_id: memory[act.of] as string, sync: true })
      return undefined
    case 'revoke all leases':
      await kernel.leases.revokePrefix({ prefix: `lend/creds/${lane}`, sync: true })
      return undefined
    case 'log in':
      return LOGIN + (await logIn(kernel, lane, act.account))
    case 'log out':
      await kernel.tokens.revokeToken({ token: loginToken(memory[act.of] as string) })
      return undefined
  }
}

/** Returns undefined if the call fails with one of these statuses. */
async function unless<T>(refused: readonly number[], call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (refused.includes((error as KernelError).status)) return undefined
    throw error
  }
}

/** Things that cannot be listed and have to be read one by one. */
export interface Candidates {
  readonly tokens: readonly string[]
  /** Numbers of the acts that returned wrapping tokens, leases and logins. */
  readonly numbers: readonly number[]
}

export async function look(lending: LendingWorld, lane: string, memory: Memory, candidates: Candidates): Promise<LaneState> {
  const { kernel } = lending
  const own = (name: string): string | undefined => (name.startsWith(`${lane}-`) ? name.slice(lane.length + 1) : undefined)
  const owned = (names: readonly string[]) => names.flatMap((name) => own(name) ?? [])

  const keys: Record<string, Omit<KeyState, 'born'>> = {}
  for (const name of owned((await kernel.transit.listKeys()).keys)) {
    const key = await kernel.transit.readKey({ name: `${lane}-${name}` })
    keys[name] = {
      latest: key.latest_version,
      minDecryption: key.min_decryption_version,
      minEncryption: key.min_encryption_version,
      minAvailable: key.min_available_version,
      deletable: key.deletion_allowed,
    }
  }
  const secrets = await secretsOf((path) => kernel.kv.listSecrets({ path }), valueAt(lending, 'secret/'), `${lane}/`)
  const versioned: Record<string, VersionState[]> = {}
  for (const path of await pathsBelow((path) => kernel.kv2.at(VERSIONED).listSecrets({ path }), `${lane}/`)) {
    versioned[path] = await versionsOf(lending, `${lane}/${path}`)
  }
  const tokens: Record<string, { uses: number; parent?: undefined }> = {}
  for (const name of candidates.tokens) {
    const found = await unless([404], kernel.tokens.lookupToken({ token: tokenOf(lane, name) }))
    if (found) tokens[name] = { uses: found.num_uses }
  }
  const policies: Record<string, number> = {}
  for (const name of owned((await kernel.policies.listPolicies()).keys)) {
    const { policy } = await kernel.policies.readPolicy({ name: `${lane}-${name}` })
    policies[name] = Number(/nowhere\/(\d+)/.exec(policy)?.[1])
  }
  const mounts: Record<string, Readonly<Record<string, number>>> = {}
  const { data } = await lending.ask('GET', 'sys/mounts')
  for (const name of owned(Object.keys(data ?? {}))) {
    const view = kernel.kv.at(`${lane}-${name}`)
    mounts[name.slice(0, -1)] = await secretsOf((path) => view.listSecrets({ path }), valueAt(lending, `${lane}-${name}`), '')
  }
  const wrapped: number[] = []
  const leases: number[] = []
  const logins: number[] = []
  for (const n of candidates.numbers) {
    const named = memory[n]
    if (named?.startsWith('lend/')) {
      if ((await lending.look(named)) === 200) leases.push(n)
    } else if (named?.startsWith(LOGIN)) {
      const token = await unless([404], kernel.tokens.lookupToken({ token: loginToken(named) }))
      if (!token) continue
      await checkEntity(kernel, token)
      logins.push(n)
    } else if (named && (await unless([400, 403], kernel.wrapping.lookupWrapping({ token: named })))) wrapped.push(n)
  }
  return { keys: keys as LaneState['keys'], secrets, versioned, tokens, policies, mounts, wrapped, leases, logins }
}

type ListAt = (path: string) => Promise<{ readonly keys: readonly string[] }>

async function pathsBelow(list: ListAt, prefix: string): Promise<string[]> {
  const found = (await unless([404], list(prefix.replace(/\/$/, ''))))?.keys ?? []
  const paths: string[] = []
  for (const name of found) {
    if (!name.endsWith('/')) paths.push(name)
    else paths.push(...(await pathsBelow(list, prefix + name)).map((path) => name + path))
  }
  return paths
}

async function secretsOf(list: ListAt, read: (path: string) => Promise<number>, prefix: string): Promise<Record<string, number>> {
  const secrets: Record<string, number> = {}
  for (const path of await pathsBelow(list, prefix)) secrets[path] = await read(prefix + path)
  return secrets
}

/** The number of the act that wrote the value, which must be complete. */
function numberIn(data: Readonly<Record<string, unknown>> | undefined): number {
  const n = Number(data?.['n'])
  if (JSON.stringify(data) !== JSON.stringify(dataOf(n))) throw new Error('a secret is not what was written')
  return n
}

const valueAt =
  ({ kernel }: LendingWorld, mount: string) =>
  async (path: string): Promise<number> =>
    numberIn((await kernel.kv.at(mount).readSecret({ path })).data)

async function versionsOf({ kernel }: LendingWorld, path: string): Promise<VersionState[]> {
  const kv = kernel.kv2.at(VERSIONED)
  const { versions } = await kv.readMetadata({ path })
  const states: VersionState[] = []
  for (const [number, { destroyed, deletion_time }] of Object.entries(versions)) {
    const version = Number(number)
    const state = destroyed ? 'destroyed' : deletion_time === '' ? 'kept' : 'deleted'
    // A deleted version cannot be read, but undeleting shows that it still exists.
    const value = state === 'kept' ? numberIn((await kv.readSecret({ path, version })).data) : 0
    states[version - 1] = { state, value }
  }
  return states
}

/** The part of a state that {@link look} can read. */
export function visible(state: LaneState): LaneState {
  const keys = Object.entries(state.keys).map(([name, { born: _, ...key }]) => [name, key])
  const tokens = Object.entries(state.tokens).map(([name, { uses }]) => [name, { uses }])
  const versioned = Object.entries(state.versioned).map(([path, versions]) => [
    path,
    versions.map(({ state: was, value }) => ({ state: was, value: was === 'kept' ? value : 0 })),
  ])
  return {
    ...state,
    keys: Object.fromEntries(keys),
    tokens: Object.fromEntries(tokens),
    versioned: Object.fromEntries(versioned),
  }
}
