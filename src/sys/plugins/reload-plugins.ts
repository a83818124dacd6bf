/** POST sys/plugins/reload/backend, as in Vault. */
import { invalid } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'

/** @throws KernelError 400 if `plugin` and `mounts` are both missing, or if `plugin` and `mounts` are both given. */
export const reloadPlugins = operation({
  kind: 'write',
  verb: 'POST',
  path: '/plugins/reload/backend',
  sudo: true,
  summary:
    'Closes the connections of this process that use the given plugin or belong to the given mounts. A connection is opened again when it is needed.',
  fields: {
    plugin: f.text('The name of the plugin whose connections are closed.').default(''),
    mounts: f.list('The paths of the mounts whose connections are closed.').default([]),
  },
  returns: {},
  run: (tx, { plugin, mounts: paths }) => {
    if (plugin === '' && paths.length === 0) throw invalid('plugin, mounts: one of the two is required')
    if (plugin !== '' && paths.length > 0) throw invalid('plugin, mounts: only one of the two is allowed')
    const { engines, mounts } = TOPOLOGY.of(tx)
    const { namespace } = tx.call
    const found = paths.flatMap((path) => {
      const mount = mounts.of(namespace).find(({ record }) => record.path === (path.endsWith('/') ? path : `${path}/`))
      return mount ? [mount.record.uuid] : []
    })
    for (const { plugins } of engines) plugins?.reload(tx.env, plugin === '' ? { mounts: found } : { plugin })
    return undefined
  },
})
