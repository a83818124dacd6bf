import { readOptions } from '../../core/base/options.ts'
import type { SyncConfig, SyncDescribe, SyncDestination, SyncPut, SyncRules } from '../../sys/sync/port.ts'
import { FAKE_SYNC_RULES, type FakeSyncType } from './rules.ts'
import { applyTrouble, type FakeSyncMethod, type FakeSyncTrouble, FakeSyncTroubles, syncFailure } from './trouble.ts'

export interface FakeSyncDestinationOptions {
  /** The type of the destination. Default: `cloud-a-sm`. */
  readonly type?: FakeSyncType
  /** Rules to use instead of the rules of the type. Missing members keep the rules of the type. */
  readonly rules?: Partial<SyncRules>
  /**
   * Returns the name of the store that a configuration refers to, for a fake with several stores. The members of the fake then show secrets
   * as `<store>:<name>`. Default: there is one store, and names have no prefix.
   */
  readonly place?: (config: SyncConfig) => string
  /** The value of `SyncDestination.ambient_without`. Default: no configuration uses ambient credentials. */
  readonly ambientWithout?: readonly string[]
  /** Namespaces whose destinations may use ambient credentials. Default: only the root namespace. */
  readonly namespaces?: readonly string[]
}

/** A recorded call. */
export interface FakeSyncCall {
  readonly call: FakeSyncMethod
  readonly name: string
  readonly opId?: string
  readonly previous?: string
  readonly externalVersion?: string
  readonly value?: string
  readonly mode?: SyncPut['mode']
}

export interface FakeSyncDestination extends SyncDestination {
  /** The current values, keyed by external name. */
  readonly values: ReadonlyMap<string, string>
  /** The current tags, keyed by external name. */
  readonly tags: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** All values that were ever put, the latest last, keyed by external name. Null represents a removal. */
  readonly history: ReadonlyMap<string, readonly (string | null)[]>
  readonly calls: readonly FakeSyncCall[]
  /** The number of calls in progress: neither answered nor aborted. */
  readonly inFlight: number
  /** The maximum number of concurrent calls so far. */
  readonly mostInFlight: number
  /** The maximum number of concurrent calls for one name so far. */
  readonly mostPerName: number
  /** The number of open sessions. */
  readonly sessions: number
  /** Adds a failure: matching calls fail. Failures that were added earlier apply first. Returns a function that removes the failure. */
  trouble(trouble: FakeSyncTrouble): () => void
  /** Removes all failures that a test has added. */
  calm(): void
  /** Creates or replaces a secret, as if another application had done it. @param at The name of the store, as `place` returns it. */
  intrude(name: string, value: string, at?: string): void
  /** Changes the value of a secret and keeps its tags, as if another application had done it. */
  edit(name: string, value: string, at?: string): void
  /** Removes a secret, as if another application had done it. */
  lose(name: string, at?: string): void
}

interface StoredSecret {
  readonly name: string
  readonly value: string
  readonly version: string
  readonly opId: string
  readonly tags: Readonly<Record<string, string>>
  readonly managed: boolean
  readonly owner: string | undefined
  /** A number that is different for each creation of the secret. A secret that is deleted and created again gets a new number. */
  readonly made: number
}

/** `validate` refuses configurations with a field that contains this text. */
const REFUSED_MARKER = 'FAIL'

/**
 * Returns a secret sync destination in memory, for tests. If the store treats two names as equal because they differ only in letter case,
 * the names share one secret.
 */
export function fakeSyncDestination(given: FakeSyncDestinationOptions = {}): FakeSyncDestination {
  const options = readOptions('fakeSyncDestination', given, { type: 1, rules: 1, place: 1, ambientWithout: 1, namespaces: 1 })
  const { type = 'cloud-a-sm', place = () => '' } = options
  const rules: SyncRules = { ...FAKE_SYNC_RULES[type], ...options.rules }
  const entries = new Map<string, StoredSecret>()
  const history = new Map<string, (string | null)[]>()
  const calls: FakeSyncCall[] = []
  const troubles = new FakeSyncTroubles()
  const busy = new Map<string, number>()
  const count = { versions: 0, made: 0, inFlight: 0, mostInFlight: 0, mostPerName: 0, sessions: 0 }

  const note = (name: string, value: string | null): void => {
    const before = history.get(name)
    if (before) before.push(value)
    else history.set(name, [value])
  }

  const write = (key: string, entry: Omit<StoredSecret, 'version'>, version = `${entry.made}.${++count.versions}`): string => {
    entries.set(key, { ...entry, version })
    note(entry.name, entry.value)
    return version
  }

  const drop = (key: string): boolean => {
    const entry = entries.get(key)
    if (entry) note(entry.name, null)
    return entries.delete(key)
  }

  const validate = ({ name, value }: SyncPut): void => {
    if (name === '' || name.length > rules.maxNameLength || rules.normalizeName(name) !== name)
      throw syncFailure('client', 'name')
    if (new TextEncoder().encode(value).length > rules.maxValueBytes) throw syncFailure('client', 'size')
  }

  const put = (request: SyncPut, key: string, name: string) => {
    validate(request)
    const { value, opId, tags, removeTags, mode, owner } = request
    const there = entries.get(key)
    const again = there?.opId === opId
    if (mode === 'create' && there && !again) throw syncFailure('conflict', 'exists')
    // Like a store with idempotency keys, refuse a different value for an `opId` that was already used.
    if (again && there.value !== value) throw syncFailure('client', 'opId')
    const kept = Object.entries(there?.tags ?? {}).filter(([tag]) => !removeTags.includes(tag))
    const all = rules.tags ? { ...Object.fromEntries(kept), ...tags } : {}
    const made = there?.made ?? ++count.made
    const entry = { name: there?.name ?? name, value, opId, tags: all, managed: true, owner, made }
    const created = !there || (again && mode === 'create')
    return { externalVersion: write(key, entry, again ? there.version : undefined), created }
  }

  /** Counts a call as in progress until it ends or is aborted. Returns the function to call when the call ends. */
  const begin = (key: string, signal: AbortSignal): (() => void) => {
    const perName = (busy.get(key) ?? 0) + 1
    busy.set(key, perName)
    count.inFlight++
    count.mostInFlight = Math.max(count.mostInFlight, count.inFlight)
    count.mostPerName = Math.max(count.mostPerName, perName)
    let ended = false
    const end = (): void => {
      if (ended) return
      ended = true
      signal.removeEventListener('abort', end)
      count.inFlight--
      busy.set(key, busy.get(key)! - 1)
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
    return end
  }

  const carryOut = async <T>(asked: FakeSyncCall, key: string, signal: AbortSignal, apply: () => T): Promise<T> => {
    calls.push(asked)
    const met = troubles.meet(asked.call)
    const end = begin(key, signal)
    try {
      // Wait for one turn of the event loop, so that concurrent calls overlap.
      await new Promise((resolve) => setImmediate(resolve))
      if (met) await applyTrouble(met, signal)
      if (signal.aborted && !met) throw syncFailure('external', 'aborted')
      const result = apply()
      if (met?.manner === 'drops-after') throw syncFailure('external', 'drops_after')
      return result
    } finally {
      end()
    }
  }

  /**
   * Returns whether the kernel manages a secret, as the store's adapter decides it. Most adapters use the tags of the secret. The adapter for
   * Vercel uses the comment. GitHub has neither, so its adapter can only compare the creation time, here the number `made`.
   */
  const isManaged = (entry: StoredSecret, { mark, owner, externalVersion }: SyncDescribe): boolean | undefined => {
    const { tags, managed } = entry
    if (rules.tags)
      return mark === undefined ? undefined : Object.hasOwn(tags, mark) && (owner === undefined || tags[mark] === owner)
    if (type === 'webhost-project') return managed && (owner === undefined || entry.owner === owner)
    if (owner === undefined || externalVersion === undefined) return undefined
    return externalVersion.split('.', 1)[0] === `${entry.made}`
  }

  const told = (at: string, name: string): string => (at === '' ? name : `${at}:${name}`)
  const keyIn = (at: string, name: string): string => told(at, rules.foldName(name))
  const seen = <T>(part: (entry: StoredSecret) => T): ReadonlyMap<string, T> =>
    new Map([...entries.values()].map((entry) => [entry.name, part(entry)]))

  return {
    type,
    rules,
    ...(options.ambientWithout && { ambient_without: options.ambientWithout }),
    ...(options.namespaces && { ambient_namespaces: options.namespaces }),
    get values() {
      return seen(({ value }) => value)
    },
    get tags() {
      return seen(({ tags }) => tags)
    },
    history,
    calls,
    get inFlight() {
      return count.inFlight
    },
    get mostInFlight() {
      return count.mostInFlight
    },
    get mostPerName() {
      return count.mostPerName
    },
    get sessions() {
      return count.sessions
    },
    trouble: (trouble) => troubles.add(trouble),
    calm: () => troubles.calm(),
    intrude: (name, value, at = '') =>
      void write(keyIn(at, name), {
        ...{ name: told(at, name), value, opId: '', tags: {}, managed: false, owner: undefined },
        made: ++count.made,
      }),
    edit(name, value, at = '') {
      const there = entries.get(keyIn(at, name))
      if (there) write(keyIn(at, name), { ...there, value, opId: '' })
    },
    lose: (name, at = '') => void drop(keyIn(at, name)),
    validate: (config) =>
      Object.entries(config).flatMap(([field, value]) =>
        typeof value === 'string' && value.includes(REFUSED_MARKER) ? [{ field, rule: 'is refused' }] : [],
      ),
    open(config) {
      const at = place(config)
      let closed = false
      count.sessions++
      const asked = async <T>(call: FakeSyncCall, signal: AbortSignal, apply: (key: string) => T): Promise<T> => {
        if (closed) throw syncFailure('internal', 'closed')
        const key = keyIn(at, call.name)
        return carryOut({ ...call, name: told(at, call.name) }, key, signal, () => apply(key))
      }
      return {
        put(request, signal) {
          const { name, opId, value, previous, mode } = request
          const call = {
            call: 'put',
            name,
            opId,
            value,
            ...(previous !== undefined && { previous }),
            ...(mode && { mode }),
          } as const
          return asked(call, signal, (key) => put(request, key, told(at, name)))
        },
        remove: ({ owner: _, ...request }, signal) =>
          asked({ call: 'remove', ...request }, signal, (key) => ({ existed: drop(key) })),
        describe: (request, signal) =>
          asked({ call: 'describe', name: request.name }, signal, (key) => {
            const entry = entries.get(key)
            if (!entry) return { exists: false }
            const managed = isManaged(entry, request)
            return { exists: true, externalVersion: entry.version, ...(managed !== undefined && { managed }) }
          }),
        async close() {
          if (closed) return
          closed = true
          count.sessions--
        },
      }
    },
  }
}
