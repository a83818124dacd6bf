/** Loads the code of engines and operations that a call by path needs. */
import { CodeNotLoadedError } from '../base/deferred-code.ts'
import type { Engine } from '../contract/engine.ts'
import type { KernelRequest } from '../contract/request.ts'
import { HELP } from '../transaction/help-verb.ts'
import { SYSTEM_PATH } from './any-state-routes.ts'
import type { ReceivedRequest } from './path-request.ts'
import type { PathResolver } from './path-resolver.ts'

export class PathCode {
  readonly #system: Engine
  readonly #paths: PathResolver

  /** @param system The engine that serves `sys/`. */
  constructor(system: Engine, paths: PathResolver) {
    this.#system = system
    this.#paths = paths
  }

  /**
   * Loads the code of operations below `sys/` that the path may need, because some of them are answered before the path is resolved. Returns
   * undefined if the code is loaded.
   */
  loadSystem(request: KernelRequest): Promise<void> | undefined {
    if (!this.#system.load) return undefined
    try {
      const { path } = request
      const at = path.indexOf(SYSTEM_PATH)
      return at < 0 ? undefined : this.#system.load(path.slice(at + SYSTEM_PATH.length))
    } catch {
      // Invalid requests are refused later.
      return undefined
    }
  }

  /**
   * Loads the code that the request needs. Returns undefined if it is loaded. An invalid path needs none; it is refused when it is resolved.
   * @throws KernelError 503 if the code cannot be loaded
   */
  load({ verb, sentPath, namespaceHeader }: ReceivedRequest): Promise<void> | undefined {
    if (!this.#system.load) return undefined
    if (verb === HELP) {
      const loading = this.#system.load()
      if (loading) return loading
    }
    try {
      const { mount, path } = this.#paths.find(verb, sentPath, namespaceHeader)
      return mount?.engine.load?.(verb === HELP ? undefined : path.slice(mount.record.path.length))
    } catch (thrown) {
      return thrown instanceof CodeNotLoadedError ? thrown.code.load() : undefined
    }
  }
}
