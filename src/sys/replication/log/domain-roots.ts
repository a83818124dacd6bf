/**
 * The roots of all domains, held while nobody else writes the tree.
 */
import { toHex } from '../../../core/base/identifiers.ts'
import type { TreeProgress } from '../state/records.ts'
import { damagedRecord } from '../tree/damaged-record.ts'
import type { RecordWrite } from '../tree/geometry.ts'
import { rootOverAll } from '../tree/levels.ts'
import { readRoot } from '../tree/page-records.ts'
import { type Roots, readRoots, type StoredTree } from '../tree/stored-tree.ts'

const ROOT = '/root'

/** What the record that says how far the tree is says of it. */
type RecordedRoot = Pick<TreeProgress, 'root'>

export class DomainRoots {
  readonly #tree: StoredTree
  #cached: { readonly version: number; readonly roots: Roots } | undefined

  constructor(tree: StoredTree) {
    this.#tree = tree
  }

  /**
   * As of a version of the record that says how far the tree is: each change of the tree changes it. What was read while the tree changed is
   * of no version, so the caller looks at it once more.
   * @throws KernelError ERR_INTERNAL where they come to another root than that record says.
   */
  async asOf({ root: said }: RecordedRoot, version: number): Promise<Roots> {
    if (this.#cached?.version === version) return this.#cached.roots
    const roots = await readRoots(this.#tree)
    if (this.rootOver(roots) !== said) throw damagedRecord('root')
    this.#cached = { version, roots }
    return roots
  }

  /** The same once these records are written. */
  async after(records: readonly RecordWrite[], said: RecordedRoot, version: number): Promise<Roots> {
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
  set(roots: Roots, version: number): void {
    this.#cached = { version, roots }
  }

  /** That record has changed, and the tree has not. What is held of another version may lack what another kernel did. */
  carryOver(before: number, version: number): void {
    if (this.#cached?.version === before) this.#cached = { ...this.#cached, version }
  }

  /** The root over all of them, in hexadecimal. */
  rootOver(roots: Roots): string {
    return toHex(rootOverAll(this.#tree.sha256, roots))
  }
}
