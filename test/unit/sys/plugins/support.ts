import type { Kernel } from '../../../../src/index.ts'

export const RUNTIMES = 'sys/plugins/runtimes/catalog'
export const CATALOG = 'sys/plugins/catalog'

/** The parameters of a plugin registration with an image and a runtime. */
export const image = (runtime: string, more: object = {}) => ({
  sha256: 'ab'.repeat(32),
  oci_image: 'registry.example/plugins/vault',
  runtime,
  ...more,
})

export const writeImage = (kernel: Kernel, name: string, runtime: string, version?: string) =>
  kernel.plugins.writePlugin({ type: 'database', name, version, ...image(runtime) })

export const writeRuntime = (kernel: Kernel, name: string) => kernel.plugins.writeRuntime({ type: 'container', name })

export const deleteRuntime = (kernel: Kernel, name: string) => kernel.plugins.deleteRuntime({ type: 'container', name })
