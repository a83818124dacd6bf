/**
 * The connections of one listener.
 *
 * A connection belongs to a stranger until a member of the replication set has sent a message over it. Connections of strangers are closed
 * to make room for others, and their number per address is limited.
 */
import type { MemoryLimit } from './memory-limit.ts'

export interface ListenerConnection {
  /** The peer's address, as reported by the operating system. */
  readonly remoteAddress: string
  /** Whether a member of the replication set has sent a message over this connection. */
  readonly isMember: boolean
  /** Whether a message from this connection is being answered. */
  readonly isBusy: boolean
  /** When the connection was made, in milliseconds of the monotonic clock. */
  readonly connectedAt: number
  /** Bytes of memory reserved for this connection. */
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
  /** In the order in which the connections were made. */
  readonly #all = new Set<ListenerConnection>()

  constructor(limits: ConnectionLimits, room: MemoryLimit) {
    this.#limits = limits
    this.#room = room
  }

  /** Closes a stranger's connection if necessary to accept another one. Returns false if all connections belong to members. */
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

  /** Closes connections over which no member has sent a message within `strangerMs`. */
  sweep(now: number): void {
    for (const one of [...this.#all])
      if (!one.isMember && !one.isBusy && now - one.connectedAt >= this.#limits.strangerMs)
        one.end('no member sent a message over the connection in time')
  }

  endAll(reason: string): void {
    for (const connection of [...this.#all]) connection.end(reason)
  }

  /** Reserves memory for a connection. If too little is left, closes connections of strangers that have reserved more memory. */
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

const evict = (victim: ListenerConnection | undefined): void =>
  victim?.end('the connection was closed to make room for another connection')

/** Returns the connections of the site with the most connections, so that a peer that opens many loses its own first. */
function largestSite(sites: ReadonlyMap<string, ListenerConnection[]>): readonly ListenerConnection[] | undefined {
  let found: readonly ListenerConnection[] | undefined
  for (const one of sites.values()) if (one.length > (found?.length ?? 0)) found = one
  return found
}

/**
 * The unit by which connections are counted: an IPv4 address, or the first 64 bits of an IPv6 address, because a /64 network usually
 * belongs to one owner.
 */
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
