import './ui/base.css'
import { openPort } from './api/ports.js'
import { mount } from './shell/mount.js'

mount(openPort)
