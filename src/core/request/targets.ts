/**
 * Where a request's path leads. Room: core/request. Imported by the path view and the lifecycle.
 */
import { KernelError } from '../errors.ts'
import type { Mount } from '../mount/mount.ts'
import type { RequestPath } from './path.ts'
import type { Route } from './routes.ts'

export interface Target extends Route {
  readonly path: RequestPath
  readonly mount: Mount
}

/** What routing needs of the mount table. */
export interface Mounts {
  /** Another object whenever the table was read anew. */
  readonly current: object
  /** The mount a decoded path lies in. */
  route(path: string): Mount | undefined
}

const MOST_KNOWN = 1000
const LONGEST_KNOWN = 256

/** Remembers targets, since they depend on nothing but the mounts: an application asks for the same few paths all the time. */
export class Targets {
  readonly #mounts: Mounts
  readonly #byVerb = new Map<string, Map<string, Target>>()
  #current: object | undefined

  constructor(mounts: Mounts) {
    this.#mounts = mounts
  }

  known(verb: string, path: string): Target | undefined {
    if (this.#mounts.current === this.#current) return this.#byVerb.get(verb)?.get(path)
    this.#byVerb.clear()
    this.#current = this.#mounts.current
    return undefined
  }

  /**
   * @param text The path as it was sent.
   * @throws KernelError 404 where nothing is mounted or the engine has no such path, 405 where the path lacks the verb.
   */
  find(verb: string, text: string, path: RequestPath): Target {
    const mount = this.#mounts.route(path.text)
    if (!mount)
      throw new KernelError('ERR_UNSUPPORTED_PATH', `no handler for route "${path.text.slice(0, 200)}". route entry not found.`)
    const below = path.text.slice(mount.record.path.length)
    const target = { path, mount, ...mount.routes.match(verb, below.split('/')) }
    // Only lists are asked for with a slash behind their path.
    if (path.trailingSlash && target.operation.verb !== 'LIST')
      throw new KernelError('ERR_UNSUPPORTED_PATH', 'there is no such path in this engine')
    if (text.length <= LONGEST_KNOWN && this.#mounts.current === this.#current) this.#remember(verb, text, target)
    return target
  }

  #remember(verb: string, text: string, target: Target): void {
    const ofVerb = this.#byVerb.get(verb) ?? new Map<string, Target>()
    this.#byVerb.set(verb, ofVerb)
    if (ofVerb.size >= MOST_KNOWN) ofVerb.clear()
    ofVerb.set(text, target)
  }
}
