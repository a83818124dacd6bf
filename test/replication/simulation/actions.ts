/** The actions of random schedules. */
import type { Kernel } from '../../../src/kernel.ts'
import { type Action, type After, always, change, outcomeText } from './change.ts'
import { ABSENT } from './model.ts'
import { namespaceWrite } from './namespace-writes.ts'
import type { Node, Site } from './site.ts'
import { EMPTY_MOUNT } from './subjects.ts'
import { outcomeOf, type World } from './world.ts'

const MOUNTS = ['m1', 'm2', 'm3'] as const

/** A write of the primary's application. */
export function sharedWrite(world: World, kernel: Kernel, where: string): Action {
  const { dice } = world
  const on = (text: string, effects: Parameters<typeof change>[2], call: () => Promise<unknown>) =>
    change(() => world.shared, `${where}: ${text}`, effects, call)
  const value = world.fresh()
  return dice.weighted<() => Action>([
    [
      8,
      () => {
        const path = dice.pick(['a', 'b', 'c/d', 'e'])
        return on(`write ${path} ${value}`, [[`v1:${path}`, always(value)]], () =>
          kernel.kv.writeSecret({ path, data: { v: value } }),
        )
      },
    ],
    [
      3,
      () => {
        const path = dice.pick(['a', 'b', 'c/d', 'e'])
        return on(`delete ${path}`, [[`v1:${path}`, always(ABSENT)]], () => kernel.kv.deleteSecret({ path }))
      },
    ],
    [
      5,
      () => {
        const path = dice.pick(['a', 'b'])
        return on(`write two/${path} ${value}`, [[`v2:${path}`, always(value)]], () =>
          kernel.kv2.at('two/').writeSecret({ path, data: { v: value } }),
        )
      },
    ],
    [
      2,
      () => {
        const path = dice.pick(['a', 'b'])
        return on(`delete two/${path}`, [[`v2:${path}`, always(ABSENT)]], () =>
          dice.chance(0.5) ? kernel.kv2.at('two/').deleteLatest({ path }) : kernel.kv2.at('two/').deleteMetadata({ path }),
        )
      },
    ],
    [
      3,
      () => {
        const name = dice.pick(['p1', 'p2'])
        const policy = `path "secret/${value}" { capabilities = ["read"] }`
        return dice.chance(0.7)
          ? on(`policy ${name} ${value}`, [[`policy:${name}`, always(policy)]], () =>
              kernel.policies.writePolicy({ name, policy }),
            )
          : on(`delete policy ${name}`, [[`policy:${name}`, always(ABSENT)]], () => kernel.policies.deletePolicy({ name }))
      },
    ],
    [
      3,
      () => {
        const name = dice.pick(['k1', 'k2'])
        const after: After = (before) => (before === ABSENT ? '1' : before)
        return on(`create key ${name}`, [[`key:${name}`, after]], () => kernel.transit.createKey({ name }))
      },
    ],
    [
      3,
      () => {
        const name = dice.pick(['k1', 'k2'])
        const after: After = (before) => (before === ABSENT ? undefined : String(Number(before) + 1))
        return on(`rotate key ${name}`, [[`key:${name}`, after]], () => kernel.transit.rotateKey({ name }))
      },
    ],
    [
      2,
      () => {
        const path = dice.pick(MOUNTS)
        const after: After = (before) => (before === ABSENT ? EMPTY_MOUNT : undefined)
        return on(`mount ${path}`, [[`mount:${path}`, after]], () => kernel.mounts.createMount({ path, type: 'kv' }))
      },
    ],
    [
      3,
      () => {
        const path = dice.pick(MOUNTS)
        const after: After = (before) => (before === ABSENT ? undefined : value)
        return on(`write ${path}/x ${value}`, [[`mount:${path}`, after]], () =>
          kernel.kv.at(`${path}/`).writeSecret({ path: 'x', data: { v: value } }),
        )
      },
    ],
    [
      2,
      () => {
        const path = dice.pick(MOUNTS)
        return on(`unmount ${path}`, [[`mount:${path}`, always(ABSENT)]], () => kernel.mounts.deleteMount({ path }))
      },
    ],
    [2, () => move(world, kernel, where)],
    [3, () => namespaceWrite(world, kernel, where)],
  ])()
}

/** Moves a mount with whatever it contains. */
function move(world: World, kernel: Kernel, where: string): Action {
  const [from, to] = world.dice.pick([
    ['m1', 'm2'],
    ['m2', 'm3'],
    ['m3', 'm1'],
  ] as const)
  return {
    text: `${where}: move ${from} to ${to}`,
    subjects: [`mount:${from}`, `mount:${to}`],
    async run() {
      const before = [...world.shared.possible(`mount:${from}`)].filter((value) => value !== ABSENT)
      const { outcome, error } = await outcomeOf(kernel.mounts.moveMount({ from, to }))
      if (outcome !== 'refused') {
        world.shared.changed(`mount:${from}`, outcome, always(ABSENT))
        if (outcome === 'done') world.shared.changed(`mount:${to}`, outcome, always(ABSENT))
        world.shared.join(`mount:${to}`, before)
        if (outcome === 'done') world.shared.changed(`mount:${to}`, outcome, (value) => (value === ABSENT ? undefined : value))
      }
      return outcomeText(outcome, error)
    },
  }
}

/** A change of a cluster's local records. */
export function localWrite(world: World, site: Site, kernel: Kernel, where: string): Action {
  const { dice } = world
  const on = (text: string, effects: Parameters<typeof change>[2], call: () => Promise<unknown>) =>
    change(() => site.local, `${where}: ${text}`, effects, call)
  const value = world.fresh()
  const tokens = site.local.names.filter((name) => name.startsWith('token:')).map((name) => name.slice(6))
  const path = `local-${site.name}`
  return dice.weighted<() => Action>([
    [
      3,
      () => ({
        text: `${where}: make a token`,
        subjects: [],
        async run() {
          let token = ''
          const made = async () => {
            token = (await kernel.tokens.createToken({ policies: ['default'], ttl: '20d' })).client_token
          }
          const { outcome, error } = await outcomeOf(made())
          if (token) site.local.set(`token:${token}`, 'alive')
          return outcomeText(outcome, error)
        },
      }),
    ],
    ...(tokens.length > 0
      ? ([
          [
            2,
            () => {
              const token = dice.pick(tokens)
              const alive = (before: string) => (before === 'alive' ? ABSENT : before)
              return on(
                `revoke a token`,
                [
                  [`token:${token}`, alive],
                  [`cubbyhole:${token}`, always(ABSENT)],
                ],
                () => kernel.tokens.revokeToken({ token }),
              )
            },
          ],
          [
            3,
            () => {
              const token = dice.pick(tokens)
              return on(`cubbyhole ${value}`, [[`cubbyhole:${token}`, always(value)]], () =>
                kernel.as(token).cubbyhole.writeEntry({ path: 'x', data: { v: value } }),
              )
            },
          ],
        ] as const)
      : []),
    [
      2,
      () => {
        const after: After = (before) => (before === ABSENT ? EMPTY_MOUNT : undefined)
        return on(`mount ${path}`, [[`local:${path}`, after]], () => kernel.mounts.createMount({ path, type: 'kv', local: true }))
      },
    ],
    [
      3,
      () => {
        const after: After = (before) => (before === ABSENT ? undefined : value)
        return on(`write ${path}/x ${value}`, [[`local:${path}`, after]], () =>
          kernel.kv.at(`${path}/`).writeSecret({ path: 'x', data: { v: value } }),
        )
      },
    ],
    [1, () => on(`unmount ${path}`, [[`local:${path}`, always(ABSENT)]], () => kernel.mounts.deleteMount({ path }))],
  ])()
}

/** An action without a visible effect. */
export function treeMaintainer(world: World, { name, kernel }: Node): Action {
  const made = (text: string, call: () => Promise<unknown>): Action => ({
    text: `${name}: ${text}`,
    subjects: [`${name} ${text}`],
    async run() {
      const { outcome, error } = await outcomeOf(call())
      return outcomeText(outcome, error)
    },
  })
  const of = kernel as Kernel
  return world.dice.weighted<() => Action>([
    [
      14,
      () =>
        made('tick', async () => {
          const { failed } = await of.tick()
          const [first] = failed
          if (first) throw first.error
        }),
    ],
    [1, () => made('rotate the barrier key', () => of.seal.rotate())],
    [1, () => made('reencrypt', () => of.seal.reencrypt())],
    [1, () => made('read the status', () => of.replication.readStatus())],
  ])()
}
