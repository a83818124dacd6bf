/** `strongroom/fastify`: a plugin of Fastify that serves a kernel. */
export { type PluginOptions, strongroomPlugin } from './strongroom-plugin.ts'
