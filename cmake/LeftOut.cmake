# wl_left_out(TESTS REASON): these tests are not built, for want of a tool. `make check` fails then, unless ALLOW_SKIPS=1 is set:
# tools/run-tests.sh reads the list that wl_write_left_out() leaves in the build folder.
function(wl_left_out tests reason)
  message(STATUS "left out: ${tests}: ${reason}")
  set_property(GLOBAL APPEND_STRING PROPERTY WL_LEFT_OUT "${tests}: ${reason}\n")
endfunction()

function(wl_write_left_out)
  get_property(list GLOBAL PROPERTY WL_LEFT_OUT)
  file(WRITE ${CMAKE_BINARY_DIR}/left-out.txt "${list}")
endfunction()
