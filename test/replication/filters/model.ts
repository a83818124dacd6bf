/** Steps in any order. Afterwards the secondary must hold exactly the data that a naive evaluation of its filter admits. */
import { expect } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import fc from '../../fixtures/fast-check.ts'
import { contentsOf, type Filter, marked, mountsOf, rootOf, type Site, Sites, settle } from './sites.ts'
import { Wiretap } from './wiretap.ts'

const NAMESPACES = ['', 'na/', 'na/nb/', 'nc/'] as const

const PLACES = ['x/', 'y/', 'z/'] as const

const LISTABLE = [
  ...NAMESPACES.filter((path) => path !== ''),
  ...NAMESPACES.flatMap((path) => PLACES.map((place) => path + place)),
]

type Step =
  | { readonly do: 'filter'; readonly mode: 'allow' | 'deny'; readonly paths: readonly string[] }
  | { readonly do: 'unfilter' }
  | { readonly do: 'tick' }
  | { readonly do: 'tick primary' }
  | { readonly do: 'mount' | 'unmount' | 'write' | 'policy'; readonly namespace: string; readonly place: string }
  | { readonly do: 'move'; readonly namespace: string; readonly place: string; readonly to: string }
  | { readonly do: 'make' | 'remove'; readonly namespace: string }

const place = { namespace: fc.constantFrom(...NAMESPACES), place: fc.constantFrom(...PLACES) }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('filter' as const),
      mode: fc.constantFrom('allow', 'deny'),
      paths: fc.subarray(LISTABLE),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unfilter' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('tick' as const, 'tick primary' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('mount' as const, 'write' as const), ...place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('unmount' as const, 'policy' as const), ...place }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), ...place, to: fc.constantFrom(...PLACES) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('make' as const, 'make' as const, 'remove' as const),
      namespace: fc.constantFrom('na/', 'na/nb/', 'nc/'),
    }),
  },
)

/** Numbers the written values, so that each of them is unique. */
let written = 0

async function take(primary: Site, secondary: Site, step: Step): Promise<void> {
  const { replication } = primary.kernel
  if (step.do === 'filter') return void (await replication.writePathsFilter({ id: 'one', mode: step.mode, paths: step.paths }))
  if (step.do === 'unfilter') return void (await replication.deletePathsFilter({ id: 'one' }))
  if (step.do === 'tick') return void (await secondary.kernel.tick())
  if (step.do === 'tick primary') return void (await primary.kernel.tick())
  const at = kernelAt(primary.kernel, step.namespace)
  if (step.do === 'make' || step.do === 'remove') {
    const segments = step.namespace.slice(0, -1).split('/')
    const name = segments.pop() as string
    const outer = kernelAt(primary.kernel, segments.length > 0 ? `${segments.join('/')}/` : '')
    return void (await (step.do === 'make'
      ? outer.namespaces.createNamespace({ name })
      : outer.namespaces.deleteNamespace({ name })))
  }
  if (step.do === 'mount') await at.mounts.createMount({ path: step.place, type: 'kv' })
  if (step.do === 'unmount') await at.mounts.deleteMount({ path: step.place })
  if (step.do === 'move') await at.mounts.moveMount({ from: step.place, to: step.to })
  if (step.do === 'policy')
    await at.policies.writePolicy({ name: 'p', policy: `path "a" { capabilities = ["read"] } # ${++written}` })
  if (step.do === 'write' || step.do === 'mount')
    await at.kv.at(step.place).writeSecret({ path: `of-${step.namespace}${step.place}`, data: { v: `value-${++written}.` } })
}

const kernelAt = (kernel: Kernel, namespace: string): Pick<Kernel, 'mounts' | 'kv' | 'namespaces' | 'policies'> =>
  namespace === '' ? kernel : kernel.namespace(namespace)

/** Whether a path is one of the listed paths or below one. Independent of the code under test. */
const isListed = (paths: readonly string[], path: string): boolean => paths.some((candidate) => path.startsWith(candidate))

const admits = (filter: Required<Filter> | undefined, path: string): boolean =>
  filter === undefined || isListed(filter.paths, path) === (filter.mode === 'allow')

/** The values in mounts that a filter excludes. */
const valuesOutside = (filter: Required<Filter>, held: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(held).flatMap(([path, values]) => (admits(filter, path) ? [] : (values.match(/value-\d+\./g) ?? [])))

async function heldBy(site: Site): Promise<Readonly<Record<string, string>>> {
  const held: Record<string, string> = {}
  for (const path of mountsOf(site)) {
    const namespace = NAMESPACES.findLast((candidate) => candidate !== '' && path.startsWith(candidate)) ?? ''
    if (!site.internals.topology.namespaces.byPath(namespace)) continue
    const kv = kernelAt(site.kernel, namespace).kv.at(path.slice(namespace.length))
    const found: string[] = []
    const walk = async (folder: string): Promise<void> => {
      for (const name of (await kv.listSecrets({ path: folder })).keys)
        if (name.endsWith('/')) await walk(folder + name)
        else found.push(`${folder}${name} ${JSON.stringify((await kv.readSecret({ path: folder + name })).data)}`)
    }
    if (PLACES.some((candidate) => path.endsWith(candidate))) await walk('')
    held[path] = found.sort().join('\n')
  }
  return held
}

export async function holdsWhatIsAdmitted(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const tap = new Wiretap()
      const sites = new Sites(tap)
      const primary = await sites.primary()
      const secondary = await sites.secondary(primary, 'one')
      let filter: Required<Filter> | undefined
      for (const step of steps) {
        tap.clear()
        const isAccepted = await take(primary, secondary, step).then(
          () => true,
          (error: { readonly status?: number }) => {
            if (error.status === undefined || error.status >= 500) throw error
            return false
          },
        )
        if (step.do === 'filter' && isAccepted) filter = { mode: step.mode, paths: step.paths }
        if (step.do === 'unfilter') filter = undefined
        if (step.do === 'tick' && filter) expect(marked(tap.crossed, ...valuesOutside(filter, await heldBy(primary)))).toEqual([])
      }
      await settle(primary, secondary)
      const all = await heldBy(primary)
      const expected = Object.fromEntries(Object.entries(all).filter(([path]) => admits(filter, path)))
      expect(await heldBy(secondary)).toEqual(expected)
      if (!filter) expect(await rootOf(secondary)).toBe(await rootOf(primary))
      const { state, last_error } = await secondary.kernel.replication.readStatus()
      expect([state, last_error]).toEqual(['stream-wals', undefined])
      // No record and no log entry of the secondary has an excluded value.
      const values = filter ? valuesOutside(filter, all) : []
      expect(marked(await contentsOf(secondary), ...values)).toEqual([])
      // Both sides report the same filter.
      const own = await secondary.kernel.replication.readOwnDynamicFilter({ id: 'one' }).catch(statusOf)
      expect(own).toEqual(await primary.kernel.replication.readDynamicFilter({ id: 'one' }).catch(statusOf))
      if (typeof own !== 'number')
        expect(own.dynamic_filtered_mounts).toEqual(
          Object.keys(all)
            .filter((path) => !admits(filter, path))
            .sort(),
        )
      await Promise.all([primary.kernel.close(), secondary.kernel.close()])
    }),
    { numRuns },
  )
}

const statusOf = (error: { readonly status: number }): number => error.status
