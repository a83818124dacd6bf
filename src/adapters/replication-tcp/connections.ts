/**
 * The connections of one listener. A connection that has not yet carried a message of a member counts as a stranger's:
 * they make way for others, and one address has only so many of them.
 */
import type { Room } from './room.ts'

export interface Connection {
  /** The address of the peer, as the operating system reports it. */
  readonly remoteAddress: string
  /** A member of the set has sent a message on it. */
  readonly isMember: boolean
  /** A message of it is being answered. */
  readonly isBusy: boolean
  /** Milliseconds of the monotonic clock: when it was made. */
  readonly since: number
  /** Bytes of memory that are held for it. */
  readonly held: number
  end(reason: string): void
}

export interface ConnectionLimits {
  readonly maxConnections: number
  readonly maxStrangersPerAddress: number
  readonly strangerMs: number
}

export class Connections {
  readonly #limits: ConnectionLimits
  readonly #room: Room
  /** In the order in which they were made. */
  readonly #all = new Set<Connection>()

  constructor(limits: ConnectionLimits, room: Room) {
    this.#limits = limits
    this.#room = room
  }

  /** Makes way for one more. False: all connections are those of members. */
  makeWay(remoteAddress: string): boolean {
    const site = siteOf(remoteAddress)
    const strangers = this.#strangersBySite()
    const own = strangers.get(site) ?? []
    if (own.length >= this.#limits.maxStrangersPerAddress) evict(own[0])
    else if (this.#all.size >= this.#limits.maxConnections) evict(largest(strangers)?.[0])
    return this.#all.size < this.#limits.maxConnections
  }

  add(connection: Connection): void {
    this.#all.add(connection)
  }

  delete(connection: Connection): void {
    this.#all.delete(connection)
  }

  /** Ends those that carried no message of a member in their time. */
  sweep(now: number): void {
    for (const one of [...this.#all])
      if (!one.isMember && !one.isBusy && now - one.since >= this.#limits.strangerMs)
        one.end('the connection carried no message of a member')
  }

  endAll(reason: string): void {
    for (const connection of [...this.#all]) connection.end(reason)
  }

  /** Takes memory for a connection. If none is left, connections of strangers that hold more are closed. */
  take(connection: Connection, bytes: number): boolean {
    while (!this.#room.take(bytes)) {
      const victim = this.#largestStranger(connection)
      if (!victim || victim.held <= (connection.isMember ? 0 : connection.held + bytes)) return false
      evict(victim)
    }
    return true
  }

  give(bytes: number): void {
    this.#room.give(bytes)
  }

  #largestStranger(except: Connection): Connection | undefined {
    let found: Connection | undefined
    for (const one of this.#all) if (!one.isMember && one !== except && one.held > (found?.held ?? -1)) found = one
    return found
  }

  #strangersBySite(): ReadonlyMap<string, Connection[]> {
    const sites = new Map<string, Connection[]>()
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

const evict = (victim: Connection | undefined): void => victim?.end('the connection made way for another one')

/** The site with the most connections: who opens many loses them first. */
function largest(sites: ReadonlyMap<string, Connection[]>): readonly Connection[] | undefined {
  let found: readonly Connection[] | undefined
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
