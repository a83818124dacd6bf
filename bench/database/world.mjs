/**
 * Kernels with the connection `db`.
 */
import { createDevKernel, systemClock } from 'strongroom'

/** The system's time, and more when asked. */
export function movable() {
  let ahead = 0
  const advance = (ms) => {
    ahead += ms
  }
  return { now: () => systemClock.now() + ahead, sleep: (ms, signal) => systemClock.sleep(ms, signal), advance }
}

export async function openKernel(plugin, details, options = {}) {
  const kernel = await createDevKernel({ ports: { databases: { plugin } }, ...options })
  await kernel.database.writeConnection({ name: 'db', plugin_name: 'plugin', allowed_roles: ['*'], ...details })
  return kernel
}
