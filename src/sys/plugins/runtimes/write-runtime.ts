/** POST sys/plugins/runtimes/catalog/:type/:name, as in OpenBao. Runtimes are never started: a registration is only a record. */
import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { checkLength, checkRuntimeType, RUNTIME_NAME, TYPE } from './fields.ts'
import { RUNTIME, runtimeId } from './records.ts'

/** @throws KernelError 400 if `type` is not `container`, if a limit is negative, or if a string has more than 4,096 characters. */
export const writeRuntime = operation({
  kind: 'write',
  verb: 'POST',
  path: '/plugins/runtimes/catalog/:type/:name',
  sudo: true,
  rootOnly: true,
  summary: 'Registers or replaces a plugin runtime. Omitted parameters get their defaults.',
  fields: {
    type: TYPE,
    name: RUNTIME_NAME,
    oci_runtime: f.text('The OCI runtime. Default: `runsc`.').default(''),
    cgroup_parent: f.text("The parent cgroup of the runtime's containers. Default: none.").default(''),
    cpu_nanos: f.int('The CPU limit of each container, in billionths of a CPU; 0 means no limit.').default(0),
    memory_bytes: f.int('The memory limit of each container, in bytes; 0 means no limit.').default(0),
    rootless: f.bool("Whether the runtime's containers run without root privileges.").default(false),
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
