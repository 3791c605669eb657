/** Modules that the build makes. */
declare module 'virtual:theme-variables.css'
