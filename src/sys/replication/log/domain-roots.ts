/**
 * The roots of all domains, held while nobody else writes the tree.
 */
import { toHex } from '../../../core/base/identifiers.ts'
import type { RecordWrite } from '../tree/geometry.ts'
import { rootOverAll } from '../tree/levels.ts'
import { readRoot } from '../tree/page-records.ts'
import { readRoots, type StoredTree } from '../tree/stored-tree.ts'

const ROOT = '/root'

export class DomainRoots {
  readonly #tree: StoredTree
  #held: { version: number; readonly roots: Map<string, Uint8Array> } | undefined

  constructor(tree: StoredTree) {
    this.#tree = tree
  }

  /**
   * The root over all once these records are written, in hexadecimal.
   * @param version Of the record that says how far the tree is: each change of the tree changes it.
   */
  async after(records: readonly RecordWrite[], version: number): Promise<string> {
    if (this.#held?.version !== version) this.#held = { version, roots: await this.#load() }
    const { roots } = this.#held
    for (const { name, bytes } of records) {
      if (!name.endsWith(ROOT)) continue
      const domain = name.slice(0, -ROOT.length)
      if (bytes) roots.set(domain, readRoot(bytes, domain).root.slice())
      else roots.delete(domain)
    }
    // Until the commit is known to have come, what is held is neither before it nor after it.
    this.#held.version = Number.NaN
    return toHex(
      rootOverAll(
        this.#tree.sha256,
        [...roots].sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    )
  }

  /** As of a version, where they are held as of it. */
  at(version: number): ReadonlyMap<string, Uint8Array> | undefined {
    return this.#held?.version === version ? this.#held.roots : undefined
  }

  /** What {@link after} was asked for has come. */
  committed(version: number): void {
    if (this.#held) this.#held.version = version
  }

  /** That record has changed, and the tree has not. What is held of another version may lack what another kernel did. */
  kept(before: number, version: number): void {
    if (this.#held?.version === before) this.#held.version = version
  }

  async #load(): Promise<Map<string, Uint8Array>> {
    const roots = new Map<string, Uint8Array>()
    for await (const [domain, root] of readRoots(this.#tree, await this.#tree.domains())) roots.set(domain, root)
    return roots
  }
}
