/** POST sys/plugins/runtimes/catalog/:type/:name (spec document 2). No runtime is ever started: a registration is a record. */
import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { checkLength, checkRuntimeType, NAME, TYPE } from './fields.ts'
import { RUNTIME, runtimeId } from './records.ts'

export const writeRuntime = operation({
  kind: 'write',
  verb: 'POST',
  path: '/plugins/runtimes/catalog/:type/:name',
  sudo: true,
  rootOnly: true,
  summary: 'Registers a plugin runtime, or replaces it: what is left out has its default again.',
  fields: {
    type: TYPE,
    name: NAME,
    oci_runtime: f
      .text('The OCI runtime. Default: `runsc`, for whoever starts a container; it is shown as it was given.')
      .default(''),
    cgroup_parent: f.text('The parent of the control groups of its containers. Default: none.').default(''),
    cpu_nanos: f.int('What each container may use, in billionths of a CPU; 0: no limit.').default(0),
    memory_bytes: f.int('How much memory each container may use, in bytes; 0: no limit.').default(0),
    rootless: f.bool('Its containers run without the rights of root.').default(false),
  },
  returns: {},
  run: (tx, { type, name, oci_runtime, cgroup_parent, cpu_nanos, memory_bytes, rootless }) => {
    const id = runtimeId({ type: checkRuntimeType(type), name })
    if (cpu_nanos < 0) throw invalid('cpu_nanos: runtime cpu in nanos cannot be negative')
    if (memory_bytes < 0) throw invalid('memory_bytes: runtime memory in bytes cannot be negative')
    checkLength(oci_runtime, 'oci_runtime')
    checkLength(cgroup_parent, 'cgroup_parent')
    tx.put(RUNTIME, id, { oci_runtime, cgroup_parent, cpu_nanos, memory_bytes, rootless })
    return undefined
  },
})
