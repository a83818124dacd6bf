/**
 * Registering and deregistering plugins (source: behaviour of the originals). No plugin is ever started: a registration is a
 * record.
 */
import { invalid } from '../../core/base/errors.ts'
import { canonicalVersion } from '../../core/base/semver.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { checkType } from './catalog.ts'
import { NAME, TYPE, VERSION } from './fields.ts'
import { PLUGIN, pluginId } from './records.ts'
import { checkLength } from './runtimes/fields.ts'
import { useRuntime } from './runtimes/users.ts'

const SHA256 = /^[0-9a-f]{64}$/i

/** The version suffix that is reserved for parts of the kernel. */
const RESERVED = /\+(?:.*\.)?builtin(?:\.|$)/

export const writePlugin = operation({
  kind: 'write',
  verb: 'POST',
  path: '/plugins/catalog/:type/:name',
  sudo: true,
  rootOnly: true,
  summary:
    'Registers a plugin. It is never started: a connection uses it where the kernel was given one of that name and version.',
  fields: {
    type: TYPE,
    name: NAME,
    version: VERSION,
    sha256: f.text('SHA-256 of the file, in hexadecimal.').default(''),
    sha_256: f.text('The same, by its old name.').deprecate().default(''),
    command: f
      .text('What would start it, relative to the folder of plugins; in an image what would stand for its entry point.')
      .default(''),
    args: f.texts('Its arguments.').default([]),
    env: f.texts('Its environment, `NAME=value` each. Never shown.').default([]),
    oci_image: f.text('The image that it is in, without its tag. With one, `command` may be left out.').default(''),
    runtime: f
      .text('The plugin runtime that would start its containers. Default: none, which is `runsc` without limits.')
      .default(''),
  },
  returns: {},
  run: (tx, input) => {
    const type = checkType(input.type)
    const { name, command, args, env, oci_image, runtime } = input
    const sha256 = input.sha256 || input.sha_256
    if (sha256 === '') throw invalid('sha256: is required')
    if (command === '' && oci_image === '') throw invalid('command, oci_image: one of the two is required')
    checkLength(oci_image, 'oci_image')
    const version = canonicalVersion(input.version, 'version')
    if (RESERVED.test(version)) throw invalid('version: builtin is a reserved word')
    if (!SHA256.test(sha256)) throw invalid('sha256: must be 64 hexadecimal digits')
    if (command.split(/[\\/]/).includes('..')) throw invalid('command: must not lead out of the folder of plugins')
    const plugin = { type, name, version }
    useRuntime(tx, plugin, tx.get(PLUGIN, pluginId(plugin))?.runtime ?? '', runtime)
    const image = { ...(oci_image !== '' && { oci_image }), ...(runtime !== '' && { runtime }) }
    tx.put(PLUGIN, pluginId(plugin), { command, sha256: sha256.toLowerCase(), args, env, ...image })
    return undefined
  },
})

export const deletePlugin = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/plugins/catalog/:type/:name',
  sudo: true,
  rootOnly: true,
  summary: 'Takes a registered plugin out of the catalogue. One that the kernel was given stays.',
  fields: { type: TYPE, name: NAME, version: VERSION },
  returns: {},
  run: (tx, input) => {
    const type = checkType(input.type)
    const plugin = { type, name: input.name, version: canonicalVersion(input.version, 'version') }
    const found = tx.get(PLUGIN, pluginId(plugin))
    if (!found) return undefined
    useRuntime(tx, plugin, found.runtime ?? '', '')
    tx.delete(PLUGIN, pluginId(plugin))
    return undefined
  },
})
