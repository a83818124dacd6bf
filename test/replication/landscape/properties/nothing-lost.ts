/** A cluster that is promoted without force has every acknowledged write. */
import type { Kernel } from '../../../../src/kernel.ts'
import type { Site } from '../../simulation/site.ts'
import { readSubject, SHARED } from '../../simulation/subjects.ts'
import type { Landscape } from '../landscape.ts'
import { broken } from './broken.ts'

export async function nothingLost(world: Landscape, site: Site): Promise<void> {
  if (site !== world.primary) return
  const kernel: Kernel = await world.kernelAt(site)
  for (const subject of SHARED) {
    const found = await world.settle(readSubject(kernel, subject).catch(() => undefined))
    const possible = world.shared.possible(subject)
    if (found !== undefined && !possible.has(found))
      throw broken('nothingLost', `${site.name} took over with ${subject} = ${found} instead of ${[...possible].join(' or ')}`)
  }
}
