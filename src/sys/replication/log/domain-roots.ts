/** Caches the Merkle roots of all domains. The cached roots are used until another kernel changes the tree. */
import { toHex } from '../../../core/base/identifiers.ts'
import type { TreeProgress } from '../state/records.ts'
import { damagedRecord } from '../tree/damaged-record.ts'
import type { RecordWrite } from '../tree/geometry.ts'
import { rootOverAll } from '../tree/levels.ts'
import { readTreeRoot } from '../tree/page-records.ts'
import { type Roots, readRoots, type StoredTree } from '../tree/stored-tree.ts'

const ROOT = '/root'

/** The stored root over all domains, with which the roots of the domains are verified. */
type RecordedRoot = Pick<TreeProgress, 'root'>

export class DomainRoots {
  readonly #tree: StoredTree
  #cached: { readonly version: number; readonly roots: Roots } | undefined

  constructor(tree: StoredTree) {
    this.#tree = tree
  }

  /**
   * Returns the roots that belong to `version`, the version of the tree progress record. Every change of the tree changes that record. If the
   * tree changes during the call, the result is invalid: the caller then finds another version of the record, and retries.
   *
   * @throws KernelError ERR_INTERNAL if the roots do not match the recorded root.
   */
  async asOf({ root: recorded }: RecordedRoot, version: number): Promise<Roots> {
    if (this.#cached?.version === version) return this.#cached.roots
    const roots = await readRoots(this.#tree)
    if (this.rootOver(roots) !== recorded) throw damagedRecord('root')
    this.#cached = { version, roots }
    return roots
  }

  /** Returns the roots as they will be after these records are written. */
  async after(records: readonly RecordWrite[], recorded: RecordedRoot, version: number): Promise<Roots> {
    const roots = new Map(await this.asOf(recorded, version))
    for (const { name, bytes } of records) {
      if (!name.endsWith(ROOT)) continue
      const domain = name.slice(0, -ROOT.length)
      if (bytes) roots.set(domain, readTreeRoot(bytes, domain).root.slice())
      else roots.delete(domain)
    }
    return roots
  }

  /** Caches the roots that were written with this version of the tree progress. */
  set(roots: Roots, version: number): void {
    this.#cached = { version, roots }
  }

  /**
   * Keeps the cached roots for a new version of the tree progress. Call this after a commit that changed the tree progress but not the tree.
   * Roots of a version other than `before` are not kept, because they may lack changes by another kernel.
   */
  carryOver(before: number, version: number): void {
    if (this.#cached?.version === before) this.#cached = { ...this.#cached, version }
  }

  /** Computes the root over all domains, in hexadecimal. */
  rootOver(roots: Roots): string {
    return toHex(rootOverAll(this.#tree.sha256, roots))
  }
}
