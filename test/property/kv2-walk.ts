/**
 * A random walk over a kv version 2 mount. Each step runs on the kernel and on the model, and the outcomes must agree, even if the process
 * crashes during the step.
 */

import { expect } from 'vitest'
import type { Kernel, KernelError, Storage } from '../../src/index.ts'
import { crashingStorage } from '../../src/testing/index.ts'
import fc from '../fixtures/fast-check.ts'
import { openMounting } from '../fixtures/kv-mounts.ts'
import { Kv2Model, type ModelConfig, type ModelKey, type ModelSettings } from './kv2-model.ts'

const PATHS = ['a', 'a/b', 'a/b/c', 'd'] as const

/** Version numbers are relative to the newest version, so that fast-check can shrink a walk by removing steps. */
type Cas = 'none' | 'right' | 'wrong'

type Step = { readonly path: string } & (
  | { readonly do: 'write' | 'patch'; readonly value: number; readonly cas: Cas }
  | { readonly do: 'burst'; readonly times: number }
  | { readonly do: 'delete' | 'undelete' | 'destroy'; readonly back: readonly number[] }
  | { readonly do: 'all'; readonly what: 'delete' | 'undelete' | 'destroy' }
  | { readonly do: 'settings'; readonly settings: ModelSettings; readonly cas: Cas }
  | { readonly do: 'patch settings'; readonly patch: Readonly<Record<string, unknown>>; readonly cas: Cas }
  | { readonly do: 'configure'; readonly config: ModelConfig }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'delete newest' | 'remove' | 'tick' | 'reopen' }
)

export interface Walk {
  /** The paths of secrets that the mount had as version 1, or undefined if it was created as version 2. */
  readonly upgraded: readonly string[] | undefined
  readonly steps: readonly { readonly step: Step; readonly crash?: 'before' | 'after' | undefined }[]
}

const path = fc.constantFrom(...PATHS)
const cas = fc.constantFrom<Cas>('none', 'none', 'right', 'right', 'wrong')
const back = fc.array(fc.integer({ min: -1, max: 12 }), { minLength: 1, maxLength: 4 })
const count = fc.constantFrom(0, 0, 1, 2, 5, 30, 300)
const own = {
  max_versions: count,
  cas_required: fc.boolean(),
  metadata_cas_required: fc.constantFrom(false, false, true),
  delete_version_after: fc.constantFrom(0, 0, 5, 60),
}
const settings = fc.record(
  { ...own, custom_metadata: fc.dictionary(fc.constantFrom('owner', 'team', '__proto__'), fc.constantFrom('x', 'y')) },
  { requiredKeys: [] },
)
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3 })
const settingsPatch = fc.record(
  {
    max_versions: orNull(count),
    cas_required: orNull(fc.boolean()),
    delete_version_after: orNull(fc.constantFrom(0, 5, 60)),
    custom_metadata: orNull(fc.dictionary(fc.constantFrom('owner', 'team'), orNull(fc.constantFrom('x', 'y')))),
  },
  { requiredKeys: [] },
)
const config = fc.record({ ...own, delete_version_after: fc.constantFrom(0, 0, 0, 7, -1) }, { requiredKeys: [] })

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constantFrom('write' as const, 'patch' as const), path, value: fc.nat(9), cas }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('burst' as const), path, times: fc.constantFrom(12, 40, 140) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'undelete' as const, 'destroy' as const), path, back }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('all' as const),
      path,
      what: fc.constantFrom('delete' as const, 'undelete' as const, 'destroy' as const),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('settings' as const), path, settings, cas }) as fc.Arbitrary<Step> },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('patch settings' as const), path, patch: settingsPatch, cas }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('configure' as const), path, config }) as fc.Arbitrary<Step> },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), path, seconds: fc.constantFrom(1, 5, 40) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('delete newest' as const, 'remove' as const, 'tick' as const, 'reopen' as const),
      path,
    }),
  },
)

export const walks = (most: number): fc.Arbitrary<Walk> =>
  fc.record({
    upgraded: fc.option(fc.uniqueArray(path), { nil: undefined }),
    steps: fc.array(
      fc.record({
        step,
        crash: fc.constantFrom(undefined, undefined, undefined, undefined, 'before' as const, 'after' as const),
      }),
      { minLength: most / 2, maxLength: most, size: 'max' },
    ),
  })

const START = Date.UTC(2026, 0, 1)
const oneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Successive kernels on one storage, compared with the model. */
class Walker {
  readonly #storage: Storage
  #model = new Kv2Model()
  #kernel: Kernel | undefined
  #now = START

  constructor(storage: Storage) {
    this.#storage = storage
  }

  get #kv() {
    return (this.#kernel as Kernel).kv2.at('kv2/')
  }

  readonly #clock = { now: () => this.#now, sleep: oneTurn }

  async begin(upgraded: readonly string[] | undefined): Promise<void> {
    const mounting = await openMounting({ storage: this.#storage, clock: this.#clock, initialize: true })
    await mounting.mount('kv2/', upgraded ? '1' : '2')
    for (const path of upgraded ?? []) {
      await mounting.kernel.kv.at('kv2/').writeSecret({ path: path, data: { old: path } })
      this.#model.write(path, { old: path }, undefined, this.#now)
    }
    if (upgraded) await mounting.upgrade('kv2/')
    this.#kernel = mounting.kernel
  }

  async open(storage = this.#storage): Promise<void> {
    // With so few cached records most reads go to the store.
    this.#kernel = (await openMounting({ storage, clock: this.#clock, cache: { records: 3 } })).kernel
  }

  async close(): Promise<void> {
    await this.#kernel?.close().catch(() => undefined)
  }

  async take(step: Step, crash: 'before' | 'after' | undefined): Promise<void> {
    if (step.do === 'wait') {
      this.#now += step.seconds * 1000
      return
    }
    if (step.do === 'reopen') {
      await this.close()
      return this.open()
    }
    if (step.do === 'burst') {
      for (let i = 0; i < step.times; i++) await this.take({ do: 'write', path: step.path, value: i, cas: 'right' }, undefined)
      return
    }
    if (!crash) return this.#agree(this.#model, step)
    await this.close()
    const failing = crashingStorage(this.#storage, { crashAt: 1, when: crash })
    await this.open(failing)
    const after = this.#model.fork()
    await this.#agree(after, step, () => failing.crashed)
    await this.close()
    await this.open()
    // A step is one commit, so after a crash the store has the state before or after it.
    if (!failing.crashed || crash === 'after') this.#model = after
  }

  async #agree(model: Kv2Model, step: Step, crashed = () => false): Promise<void> {
    const { status, call } = this.#both(model, step)
    const [outcome] = await Promise.allSettled([call()])
    if (crashed()) {
      if (step.do !== 'tick') expect(outcome.status).toBe('rejected')
      return
    }
    if (outcome.status === 'rejected' && (outcome.reason as KernelError).name !== 'KernelError') throw outcome.reason
    expect(outcome.status === 'rejected' ? (outcome.reason as KernelError).status : 0).toBe(status)
  }

  /** Applies a step to the model. Returns the expected status and the matching call of the kernel. */
  #both(model: Kv2Model, step: Step): { readonly status: number; readonly call: () => Promise<unknown> } {
    const { path: at } = step
    const now = this.#now
    const key = model.keys.get(at)
    const numbers = (list: readonly number[]) => list.map((age) => (key?.current ?? 0) - age)
    const casOf = (chosen: Cas, right: number) => (chosen === 'none' ? undefined : chosen === 'right' ? right : right + 1)
    switch (step.do) {
      case 'write': {
        const chosen = casOf(step.cas, key?.current ?? 0)
        const data = { value: step.value, path: at }
        const options = chosen === undefined ? {} : { cas: chosen }
        return { status: model.write(at, data, chosen, now), call: () => this.#kv.writeSecret({ path: at, data, options }) }
      }
      case 'patch': {
        const chosen = casOf(step.cas, key?.current ?? 0)
        const data = { value: null, more: step.value }
        const options = chosen === undefined ? {} : { cas: chosen }
        return { status: model.patch(at, data, chosen, now), call: () => this.#kv.patchSecret({ path: at, data, options }) }
      }
      case 'delete newest':
        return { status: model.deleteVersions(at, numbers([0]), now), call: () => this.#kv.deleteLatest({ path: at }) }
      case 'delete':
      case 'undelete':
      case 'destroy':
        return this.#marking(model, at, step.do, numbers(step.back))
      case 'all':
        return this.#marking(model, at, step.what, [...(key?.versions.keys() ?? [1])])
      case 'settings': {
        const chosen = casOf(step.cas, key?.written ?? 0)
        const input = { path: at, ...step.settings, ...(chosen === undefined ? {} : { metadata_cas: chosen }) }
        return { status: model.settings(at, step.settings, chosen, now), call: () => this.#kv.writeMetadata(input) }
      }
      case 'patch settings': {
        const chosen = casOf(step.cas, key?.written ?? 0)
        const patch = { ...step.patch, ...(chosen === undefined ? {} : { metadata_cas: chosen }) }
        const status = model.patchSettings(at, step.patch, chosen, now)
        return { status, call: () => this.#kv.patchMetadata({ path: at, patch }) }
      }
      case 'remove':
        return { status: model.remove(at), call: () => this.#kv.deleteMetadata({ path: at }) }
      case 'configure':
        return { status: model.configure(step.config), call: () => this.#kv.configure(step.config) }
      default:
        return { status: 0, call: () => (this.#kernel as Kernel).tick() }
    }
  }

  #marking(model: Kv2Model, at: string, what: 'delete' | 'undelete' | 'destroy', versions: readonly number[]) {
    const input = { path: at, versions: versions.length > 0 ? versions : [1] }
    const now = this.#now
    switch (what) {
      case 'delete':
        return { status: model.deleteVersions(at, versions, now), call: () => this.#kv.deleteVersions(input) }
      case 'undelete':
        return { status: model.undelete(at, versions, now), call: () => this.#kv.undeleteVersions(input) }
      default:
        return { status: model.destroy(at, versions), call: () => this.#kv.destroyVersions(input) }
    }
  }

  /** Compares everything that can be read about the path of a step. */
  async check({ path: at }: Step): Promise<void> {
    const key = this.#model.keys.get(at)
    for (const folder of ['', 'a', 'a/b']) {
      const { keys } = await this.#kv.listSecrets({ path: folder })
      expect(keys).toEqual(this.#model.list(folder === '' ? '' : `${folder}/`))
    }
    const [shown] = await Promise.allSettled([this.#kv.readMetadata({ path: at })])
    if (!key) expect(shown).toMatchObject({ status: 'rejected', reason: { status: 404 } })
    else if (shown.status === 'rejected') throw shown.reason
    else expect(shown.value).toMatchObject(this.#shown(key))
    const { current = 0, oldest = 0 } = key ?? {}
    for (const version of new Set([0, 1, oldest - 1, oldest, current - 1, current, current + 1]))
      if (version >= 0) await this.#checkVersion(at, key, version)
  }

  #shown(key: ModelKey) {
    const { custom_metadata, delete_version_after: seconds, ...plain } = key.settings
    const time = (ms: number | undefined) => (ms === undefined ? '' : new Date(ms).toISOString())
    return {
      ...plain,
      custom_metadata: Object.keys(custom_metadata).length > 0 ? custom_metadata : null,
      delete_version_after: seconds === 60 ? '1m0s' : `${seconds}s`,
      created_time: time(key.created),
      updated_time: time(key.updated),
      current_version: key.current,
      current_metadata_version: key.written,
      oldest_version: key.oldest,
      versions: Object.fromEntries(
        [...key.versions].map(([number, { created, deletion, destroyed }]) => [
          number,
          { created_time: time(created), deletion_time: time(deletion), destroyed },
        ]),
      ),
    }
  }

  async #checkVersion(at: string, key: ModelKey | undefined, version: number): Promise<void> {
    const expected = key?.versions.get(version || key.current)
    const [read] = await Promise.allSettled([this.#kv.readSecret({ path: at, version })])
    if (expected && !this.#model.gone(expected, this.#now)) {
      if (read.status === 'rejected') throw read.reason
      expect(read.value.data).toEqual(expected.data)
      expect(read.value.metadata.version).toBe(version || key?.current)
      const { subkeys } = await this.#kv.readSubkeys({ path: at, version })
      expect(Object.keys(subkeys)).toEqual(Object.keys(expected.data as object))
    } else {
      expect(read).toMatchObject({ status: 'rejected', reason: { name: 'KernelError', status: 404 } })
      const details = (read as PromiseRejectedResult).reason.details
      expect(details.destroyed).toBe(expected?.destroyed)
    }
  }

  /** After all background work the store contains exactly the records of the model. */
  async checkStore(): Promise<void> {
    for (let rounds = 0, quiet = 0; quiet < 2; rounds++) {
      if (rounds > 50) throw new Error('the work does not end')
      const { done, more, failed } = await (this.#kernel as Kernel).tick()
      expect(failed).toEqual([])
      quiet = done === 0 && !more ? quiet + 1 : 0
      // Let the claims of crashed processes expire.
      this.#now += 31_000
    }
    const keys = await this.#storage.list('r/')
    const folders = keys
      .map((key) => key.split('/'))
      .filter(([place]) => place !== 'core')
      .map(([, folder]) => folder)
    const countOf = (folder: string) => folders.filter((candidate) => candidate === folder).length
    const versions = [...this.#model.keys.values()].flatMap((key) => [...key.versions.values()])
    expect(countOf('key')).toBe(this.#model.keys.size)
    expect(countOf('data')).toBe(versions.filter(({ destroyed }) => !destroyed).length)
    expect([countOf('sweep'), countOf('secret')]).toEqual([0, 0])
    // The key record itself contains the states of the first versions, so short secrets have no pages.
    const long = [...this.#model.keys.values()].filter(({ current }) => current > 32)
    const pages = long.map(({ versions: own }) => new Set([...own.keys()].map((version) => Math.floor((version - 1) / 128))).size)
    expect(countOf('page')).toBeLessThanOrEqual(pages.reduce((sum, size) => sum + size, 0))
    expect((await this.#storage.list('l/due/housekeeping/')).length).toBe(0)
  }

  async checkAll(): Promise<void> {
    for (const at of PATHS) await this.check({ do: 'tick', path: at })
  }
}

export async function takeWalk(storage: Storage, { upgraded, steps }: Walk): Promise<void> {
  const walker = new Walker(storage)
  await walker.begin(upgraded)
  try {
    for (const { step, crash } of steps) {
      await walker.take(step, crash)
      await walker.check(step)
    }
    await walker.checkAll()
    await walker.checkStore()
    await walker.checkAll()
  } finally {
    await walker.close()
  }
}
