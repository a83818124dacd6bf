/** Changes of namespaces by the primary's application. */

import type { Kernel } from '../../../src/kernel.ts'
import { type Action, always, change } from './change.ts'
import { ABSENT } from './model.ts'
import { BARE, EMPTY_MOUNT, INNER_MOUNT } from './subjects.ts'
import type { World } from './world.ts'

export function namespaceWrite(world: World, kernel: Kernel, where: string): Action {
  const { dice } = world
  const name = dice.pick(['n1', 'n2'])
  const value = world.fresh()
  const on = (text: string, after: (before: string) => string | undefined, call: () => Promise<unknown>): Action =>
    change(() => world.shared, `${where}: ${text}`, [[`space:${name}`, after]], call)
  return dice.weighted<() => Action>([
    [
      2,
      () =>
        on(
          `make namespace ${name}`,
          (before) => (before === ABSENT ? BARE : before),
          () => kernel.namespaces.createNamespace({ name }),
        ),
    ],
    [
      2,
      () =>
        on(
          `mount ${INNER_MOUNT} in ${name}`,
          (before) => (before === BARE ? EMPTY_MOUNT : undefined),
          () => kernel.namespace(`${name}/`).mounts.createMount({ path: INNER_MOUNT, type: 'kv' }),
        ),
    ],
    [
      3,
      () =>
        on(
          `write ${name}/${INNER_MOUNT}/x ${value}`,
          (before) => (before === ABSENT || before === BARE ? undefined : value),
          () =>
            kernel
              .namespace(`${name}/`)
              .kv.at(`${INNER_MOUNT}/`)
              .writeSecret({ path: 'x', data: { v: value } }),
        ),
    ],
    [1, () => on(`remove namespace ${name}`, always(ABSENT), () => kernel.namespaces.deleteNamespace({ name }))],
  ])()
}
