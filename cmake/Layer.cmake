# The layers of src/: which headers a file may include.
#
# wl_layer(TARGET SEES FOLDER...) lets the files of a target include the headers of these folders of src/, and no others of src/. A
# folder stands for its own headers, not for those of the folders in it; includes name it: #include "translate/unit/unit.h".
# The target gets one search path, a folder of links in the build tree, so that an include of any other layer does not compile.
function(wl_layer target)
  cmake_parse_arguments(layer "" "" SEES ${ARGN})
  wl_layer_view(${target} ${layer_SEES})
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/layers/${target})
endfunction()

# wl_layer_view(NAME FOLDER...): makes that folder of links, layers/NAME in the build tree.
function(wl_layer_view name)
  set(view ${CMAKE_BINARY_DIR}/layers/${name})
  file(REMOVE_RECURSE ${view})
  foreach(folder IN LISTS ARGN)
    file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.h ${CMAKE_SOURCE_DIR}/src/${folder}/*.inc)
    file(MAKE_DIRECTORY ${view}/${folder})
    foreach(header IN LISTS headers)
      get_filename_component(file ${header} NAME)
      file(CREATE_LINK ${header} ${view}/${folder}/${file} SYMBOLIC)
    endforeach()
  endforeach()
endfunction()
