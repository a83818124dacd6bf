/**
 * The roots of all domains, held while nobody else writes the tree.
 */
import { toHex } from '../../../core/base/identifiers.ts'
import type { Folded } from '../state/records.ts'
import { damaged } from '../tree/damaged.ts'
import type { RecordWrite } from '../tree/geometry.ts'
import { rootOverAll } from '../tree/levels.ts'
import { readRoot } from '../tree/page-records.ts'
import { type Roots, readRoots, type StoredTree } from '../tree/stored-tree.ts'

const ROOT = '/root'

/** What the record that says how far the tree is says of it. */
type Said = Pick<Folded, 'root'>

export class DomainRoots {
  readonly #tree: StoredTree
  #held: { readonly version: number; readonly roots: Roots } | undefined

  constructor(tree: StoredTree) {
    this.#tree = tree
  }

  /**
   * As of a version of the record that says how far the tree is: each change of the tree changes it. What was read while the tree changed is
   * of no version, so the caller looks at it once more.
   * @throws KernelError ERR_INTERNAL where they come to another root than that record says.
   */
  async asOf({ root: said }: Said, version: number): Promise<Roots> {
    if (this.#held?.version === version) return this.#held.roots
    const roots = await readRoots(this.#tree)
    if (this.rootOver(roots) !== said) throw damaged('root')
    this.#held = { version, roots }
    return roots
  }

  /** The same once these records are written. */
  async after(records: readonly RecordWrite[], said: Said, version: number): Promise<Roots> {
    const roots = new Map(await this.asOf(said, version))
    for (const { name, bytes } of records) {
      if (!name.endsWith(ROOT)) continue
      const domain = name.slice(0, -ROOT.length)
      if (bytes) roots.set(domain, readRoot(bytes, domain).root.slice())
      else roots.delete(domain)
    }
    return roots
  }

  /** These are stored, as of a version. */
  stored(roots: Roots, version: number): void {
    this.#held = { version, roots }
  }

  /** That record has changed, and the tree has not. What is held of another version may lack what another kernel did. */
  kept(before: number, version: number): void {
    if (this.#held?.version === before) this.#held = { ...this.#held, version }
  }

  /** The root over all of them, in hexadecimal. */
  rootOver(roots: Roots): string {
    return toHex(rootOverAll(this.#tree.sha256, roots))
  }
}
