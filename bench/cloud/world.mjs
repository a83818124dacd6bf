/**
 * Kernels with a configured cloud engine.
 */
import { createDevKernel } from 'strongroom'

export const ROOT = { access_key: 'AKIAIOSFODNN7EXAMPLE', secret_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

export async function openKernel(cloud, { access_key, secret_key, ...endpoints }, options = {}) {
  const kernel = await createDevKernel({ ports: { cloud }, ...options })
  await kernel.cloud.configureRoot({ access_key, secret_key, ...endpoints })
  return kernel
}
