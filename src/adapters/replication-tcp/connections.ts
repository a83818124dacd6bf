/**
 * The connections of one listener. A connection that has not yet carried a message of a member counts as a stranger's:
 * they make way for others, and one address has only so many of them.
 */
import type { MemoryLimit } from './memory-limit.ts'

export interface ListenerConnection {
  /** The address of the peer, as the operating system reports it. */
  readonly remoteAddress: string
  /** A member of the set has sent a message on it. */
  readonly isMember: boolean
  /** A message of it is being answered. */
  readonly isBusy: boolean
  /** Milliseconds of the monotonic clock: when it was made. */
  readonly connectedAt: number
  /** Bytes of memory that are held for it. */
  readonly memoryBytes: number
  end(reason: string): void
}

export interface ConnectionLimits {
  readonly maxConnections: number
  readonly maxStrangersPerAddress: number
  readonly strangerMs: number
}

export class Connections {
  readonly #limits: ConnectionLimits
  readonly #room: MemoryLimit
  /** In the order in which they were made. */
  readonly #all = new Set<ListenerConnection>()

  constructor(limits: ConnectionLimits, room: MemoryLimit) {
    this.#limits = limits
    this.#room = room
  }

  /** Makes way for one more. False: all connections are those of members. */
  makeRoomFor(remoteAddress: string): boolean {
    const site = siteOf(remoteAddress)
    const strangers = this.#strangersBySite()
    const own = strangers.get(site) ?? []
    if (own.length >= this.#limits.maxStrangersPerAddress) evict(own[0])
    else if (this.#all.size >= this.#limits.maxConnections) evict(largestSite(strangers)?.[0])
    return this.#all.size < this.#limits.maxConnections
  }

  add(connection: ListenerConnection): void {
    this.#all.add(connection)
  }

  delete(connection: ListenerConnection): void {
    this.#all.delete(connection)
  }

  /** Ends those that carried no message of a member in their time. */
  sweep(now: number): void {
    for (const one of [...this.#all])
      if (!one.isMember && !one.isBusy && now - one.connectedAt >= this.#limits.strangerMs)
        one.end('the connection carried no message of a member')
  }

  endAll(reason: string): void {
    for (const connection of [...this.#all]) connection.end(reason)
  }

  /** Takes memory for a connection. If none is left, connections of strangers that hold more are closed. */
  reserveMemory(connection: ListenerConnection, bytes: number): boolean {
    while (!this.#room.reserve(bytes)) {
      const victim = this.#largestStranger(connection)
      if (!victim || victim.memoryBytes <= (connection.isMember ? 0 : connection.memoryBytes + bytes)) return false
      evict(victim)
    }
    return true
  }

  releaseMemory(bytes: number): void {
    this.#room.release(bytes)
  }

  #largestStranger(except: ListenerConnection): ListenerConnection | undefined {
    let found: ListenerConnection | undefined
    for (const one of this.#all) if (!one.isMember && one !== except && one.memoryBytes > (found?.memoryBytes ?? -1)) found = one
    return found
  }

  #strangersBySite(): ReadonlyMap<string, ListenerConnection[]> {
    const sites = new Map<string, ListenerConnection[]>()
    for (const one of this.#all) {
      if (one.isMember) continue
      const site = siteOf(one.remoteAddress)
      const known = sites.get(site)
      if (known) known.push(one)
      else sites.set(site, [one])
    }
    return sites
  }
}

const evict = (victim: ListenerConnection | undefined): void => victim?.end('the connection made way for another one')

/** The site with the most connections: who opens many loses them first. */
function largestSite(sites: ReadonlyMap<string, ListenerConnection[]>): readonly ListenerConnection[] | undefined {
  let found: readonly ListenerConnection[] | undefined
  for (const one of sites.values()) if (one.length > (found?.length ?? 0)) found = one
  return found
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: one owner usually has all of them. */
export function siteOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.replace(/%.*$/, '').toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
