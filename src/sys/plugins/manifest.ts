import type { EngineManifest } from '../../core/contract/engine.ts'

/** The manifest of the catalogs of plugins: the facts that a kernel needs before it loads the code. */
export const PLUGINS_MANIFEST = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  part: 'plugins',
  segments: ['plugins'],
  facades: {
    plugins: {
      path: 'sys/',
      shape: {
        methods: [
          'readCatalog',
          'listPlugins',
          'readPlugin',
          'writePlugin',
          'deletePlugin',
          'reloadPlugins',
          'writeRuntime',
          'readRuntime',
          'listRuntimes',
          'deleteRuntime',
        ],
      },
    },
  },
} satisfies EngineManifest
